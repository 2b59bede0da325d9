/** The workers that live, as the process that owns the store knows them. */
import { Effect } from "effect"
import type { DeploymentStatus } from "../core/pool/ProviderPool.ts"
import type { ProcessVitals } from "../core/nodes/Workers.ts"
import type { UpstreamLoad } from "../core/pool/Transport.ts"
import type { Channel } from "./Channel.ts"

/** Who does not do what it was told within this time is ended, so that nothing of before goes on in it. */
const OBEY_MS = 5_000

/** It tells its state each second, and is looked for as often. Looks that an owner was kept from do not count. */
const LOOKS = 10

/** What a worker says of itself, again and again. */
export interface WorkerState {
  readonly vitals: ProcessVitals
  readonly deployments: ReadonlyArray<Omit<DeploymentStatus, "deployment" | "inRotation"> & { readonly id: string }>
  readonly loads: { readonly [deployment: string]: UpstreamLoad }
}

export interface CrewMember {
  /** 1 is the first; the one that takes a dead one's place has its number. */
  readonly number: number
  readonly pid: number
  readonly startedAt: number
  /** Limits and budgets of which it holds a share. */
  readonly sharesHeld: () => number
  readonly channel: Channel
  /** Ends it at once; completes when it is gone and its books are closed. */
  readonly kill: Effect.Effect<void>
  state: WorkerState | undefined
  /** It may remember something of before a change. Others do as they are told before they serve anybody. */
  isServing: boolean
  /** How often its owner has looked for it since it last said anything. */
  silence: number
}

export class Crew {
  readonly members = new Set<CrewMember>()
  /** Workers that took a dead one's place. */
  restarts = 0
  /** Questions for larger shares: requests waited for their answers before their providers were asked. */
  questions = 0

  /** Completes when every worker has done it; one that does not is ended. */
  readonly everyone = (name: string, ...given: ReadonlyArray<unknown>): Effect.Effect<void> =>
    Effect.suspend(() =>
      Effect.forEach(
        [...this.members],
        (member) => {
          const obeyed = member.channel.call(name, ...given)
          if (!member.isServing) return Effect.forkDetach(Effect.ignore(obeyed))
          return obeyed.pipe(
            Effect.timeout(OBEY_MS),
            Effect.catch((error) =>
              Effect.andThen(
                Effect.logWarning(
                  `worker ${member.number} (process ${member.pid}) did not do "${name}" and is ended: ${error.message}`
                ),
                member.kill
              )
            )
          )
        },
        { concurrency: "unbounded", discard: true }
      )
    )

  /** Ends workers that say nothing any more: connections that were handed to them would wait for ever. */
  readonly look = Effect.suspend(() => {
    const silent = Array.from(this.members).filter((member) => member.state !== undefined && ++member.silence > LOOKS)
    return Effect.forEach(
      silent,
      (member) =>
        Effect.andThen(
          Effect.logWarning(`worker ${member.number} (process ${member.pid}) says nothing any more and is ended`),
          member.kill
        ),
      { discard: true }
    )
  })

  tell(name: string, ...given: ReadonlyArray<unknown>): void {
    for (const { channel } of this.members) channel.tell(name, ...given)
  }
}
