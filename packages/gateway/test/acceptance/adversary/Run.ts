/**
 * One run: a gateway of its own, in memory and on a test clock, a small budget, and callers who try to spend more than it. The same
 * seed plays the same run.
 */
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import { costOf, isEstimate, type Receipt } from "../../../src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../../src/core/receipts/ReceiptEvents.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { Transport } from "../../../src/core/pool/Transport.ts"
import { type Fetch, NotFetched, PublicFetch } from "../../../src/providers/transport/PublicFetch.ts"
import type { TestAnswer } from "../../../src/testing/TestAnswer.ts"
import { TestGateway } from "../../../src/testing/TestGateway.ts"
import { draw, type Drawn, Files } from "./Caller.ts"
import { chanceOf } from "./Chance.ts"
import { markOf, scriptedTransport, type World } from "./Provider.ts"
import { drawOwners, type Owner } from "./Owners.ts"
import { addresses, configured, serviceAddresses, withServices } from "./Settings.ts"
import { worstBill } from "./Worst.ts"

export interface Judged {
  readonly drawn: Drawn
  readonly outcome: "admitted" | "refused" | "failed"
  /** Status and code of what was refused. */
  readonly why: string
  /** Nano-USD, all attempts together. */
  readonly billed: number
  readonly booked: number
  readonly estimated: boolean
  readonly hungUp: boolean
  /** The most that its provider could have billed, in nano-USD; undefined where it would have refused. */
  readonly worst: number | undefined
  /** What was left of the tightest budget, in nano-USD; undefined where others were under way. */
  readonly room: number | undefined
  /** The worst bill would have fitted; undefined where others were under way. */
  readonly affordable: boolean | undefined
  /** What the gateway held for it while it was under way, in nano-USD; undefined where others were too. */
  readonly held: number | undefined
}

export interface Spent {
  readonly scope: string
  /** The numbers of the requests it pays for. */
  readonly requests: ReadonlyArray<number>
  /** Nano-USD. */
  readonly limit: number
  readonly billed: number
  readonly booked: number
  readonly held: number
}

export interface Played {
  readonly seed: number
  readonly way: "in memory" | "through the port"
  readonly judged: ReadonlyArray<Judged>
  readonly budgets: ReadonlyArray<Spent>
}

/** A Sunday, far from the end of any window. */
const START = Date.UTC(2026, 10, 22, 10, 5)
const MOST_REQUESTS = 14
const PATIENCE_MS = 5000
/** The longest call a gateway waits for, and a little. */
const DRAIN_STEPS = 200

/** Short words, which come in every text, become much longer ones. */
const masking = {
  checks: {
    short: { kind: "regex", pattern: "\\b(?:the|of|is|as|you|in)\\b", max_length: 8, action: "mask" },
    secrets: { kind: "secrets", action: "mask" }
  },
  policies: { strict: { request: ["short", "secrets"], response: ["short", "secrets"] } },
  always: ["strict"]
}

export const play = (seed: number, isMasking = false): Effect.Effect<Played> =>
  Effect.suspend(() => {
    const files = new Files()
    const chance = chanceOf(seed, "run")
    const project = chance.next() < 0.25 ? "priority" : "default"
    const world: World = { seed, told: files.holds, project, bills: [], seen: new Set(), refusals: new Map() }
    const layer = TestGateway.layerOver({
      ...withServices(configured()),
      ...(isMasking ? { guardrails: masking } : {})
    }).pipe(
      Layer.provide(Layer.succeed(Transport, scriptedTransport(world, providerAt))),
      Layer.provide(Layer.succeed(PublicFetch, fetchFrom(files))),
      Layer.orDie,
      Layer.provideMerge(TestClock.layer())
    )
    return Effect.provide(played(seed, files, world, isMasking), layer)
  })

const names = new Map(Object.entries({ ...addresses, ...serviceAddresses }).map(([name, address]) => [address, name]))
const providerAt = (baseUrl: string): string => names.get(baseUrl)!

export const fetchFrom =
  (files: Files): Fetch =>
  (url) => {
    const media = files.remote.get(url)
    return media === undefined
      ? Effect.fail(new NotFetched({ message: "is at no public address" }))
      : Effect.succeed({ mediaType: media.mediaType, bytes: media.bytes })
  }

const played = Effect.fnUntraced(function* (seed: number, files: Files, world: World, isMasking: boolean) {
  yield* TestClock.setTime(START)
  const gateway = yield* TestGateway
  const ledger = yield* SpendLedger
  const keys = yield* KeyStore
  const receipts = new Map<string, Receipt>()
  const log = yield* ReceiptEvents
  log.listen((receipt) => {
    const tag = receipt.tags.at(-1)
    // What guardrails deny has no tags.
    if (tag !== undefined) receipts.set(markOf(Number(tag.slice(1))), receipt)
  })
  const chance = chanceOf(seed, "callers")
  const owners = drawOwners(chance)
  const secrets = new Map<Owner, string>()
  for (const owner of owners) {
    if (owner.team !== null)
      yield* Effect.orDie(keys.putTeam(owner.team.name, { limits: unlimited, budgets: owner.team.budgets }))
    const secret = yield* Effect.orDie(gateway.createKey({ team: owner.team?.name ?? null, budgets: owner.budgets }))
    secrets.set(owner, secret)
  }
  const callers = yield* Effect.orDie(Effect.forEach(secrets.values(), (secret) => keys.authenticate(secret)))
  const ids = new Map([...secrets.keys()].map((owner, index) => [owner, callers[index]!.key.id]))

  const bookedOf = (mark: string) => {
    const receipt = receipts.get(mark)
    return receipt === undefined ? 0 : costOf(receipt)
  }
  const billedOf = (mark: string) =>
    world.bills.filter((bill) => bill.mark === mark).reduce((sum, { nano }) => sum + nano, 0)
  const spentOf = Effect.suspend(() =>
    Effect.forEach(scopesOf(owners, ids), ({ budgets, payers, scope }) =>
      Effect.map(Effect.orDie(ledger.budgets(scope, budgets)), (states) => {
        const requests = asked.filter(({ owner }) => payers.includes(owner)).map(({ drawn }) => drawn.number)
        const billed = requests.reduce((sum, number) => sum + billedOf(markOf(number)), 0)
        return states.map(({ budget, reserved, spent }): Spent => ({
          scope,
          requests,
          limit: budget.limit,
          billed,
          booked: spent,
          held: reserved
        }))
      })
    )
  ).pipe(Effect.map((all) => all.flat()))

  const asked: Array<Asked> = []
  /** Until nothing is under way any more, not even what callers left. */
  const drained = Effect.fnUntraced(function* () {
    for (let step = 0; step < DRAIN_STEPS; step++) {
      yield* passed(5000)
      if ((yield* spentOf).every(({ held }) => held === 0)) break
    }
  })

  for (let refused = 0; asked.length < MOST_REQUESTS && refused < 4;) {
    const alone = chance.next() < 0.75
    const together = Array.from({ length: alone ? 1 : 2 + chance.below(4) }, (_, index) => ({
      owner: chance.pick(owners),
      drawn: draw(asked.length + index, chance, files, true)
    }))
    const left = alone ? roomOf(together[0]!.owner, ids, yield* spentOf) : undefined
    const fibers = yield* Effect.forEach(together, ({ drawn, owner }) => {
      const worst = isMasking ? undefined : worstBill(drawn, files.holds)
      const affordable = left === undefined ? undefined : worst !== undefined && worst <= left
      const one: Asked = { owner, drawn, worst, room: left, affordable, answer: undefined, held: undefined }
      asked.push(one)
      const request = gateway.send({
        method: "POST",
        ...drawn.sent,
        headers: {
          authorization: `Bearer ${secrets.get(owner)!}`,
          "content-type": "application/json",
          "x-gateway-tags": `n${drawn.number}`
        }
      })
      const limited = drawn.leaves === undefined ? Effect.asSome(request) : Effect.timeoutOption(request, drawn.leaves)
      return Effect.forkChild(
        Effect.map(limited, (answer) => {
          one.answer = Option.getOrUndefined(answer)
        })
      )
    })
    // What the gateway does before it asks takes the machine's time, not the clock's.
    const isOnItsWay = ({ answer, drawn }: Asked) => answer === undefined && !world.seen.has(markOf(drawn.number))
    const end = performance.now() + PATIENCE_MS
    while (asked.slice(-together.length).some(isOnItsWay) && performance.now() < end) yield* passed(0)
    for (let step = 0; step < 9; step++) yield* passed(10)
    const held = Math.max(...(yield* spentOf).map((spent) => spent.held))
    // Nothing: what it sends is still being looked at, or it was refused.
    if (alone && held > 0) asked.at(-1)!.held = held
    yield* drained()
    yield* Effect.forEach(fibers, Fiber.interrupt)
    const isRefused = asked.slice(-together.length).every(({ answer }) => answer !== undefined && answer.status !== 200)
    refused = isRefused ? refused + 1 : 0
  }
  yield* drained()

  const judged = asked.map(({ affordable, answer, drawn, held, room, worst }): Judged => {
    const mark = markOf(drawn.number)
    const receipt = receipts.get(mark)
    const isServed = world.bills.some((bill) => bill.mark === mark)
    return {
      drawn,
      outcome:
        answer?.status === 200 || (answer === undefined && isServed) ? "admitted" : isServed ? "failed" : "refused",
      why: answer === undefined || answer.status === 200 ? "" : whyOf(answer, world.refusals.get(mark)),
      billed: billedOf(mark),
      booked: bookedOf(mark),
      estimated: receipt !== undefined && isEstimate(receipt),
      // After a denial the gateway reads on for its usage, but not for ever.
      hungUp: answer === undefined || receipt?.status === "blocked",
      worst,
      room,
      affordable: answer === undefined ? undefined : affordable,
      held
    }
  })
  return { seed, way: "in memory", judged, budgets: yield* spentOf } satisfies Played as Played
})

interface Asked {
  readonly owner: Owner
  readonly drawn: Drawn
  readonly worst: number | undefined
  readonly room: number | undefined
  readonly affordable: boolean | undefined
  answer: TestAnswer | undefined
  held: number | undefined
}

const unlimited = { rpm: undefined, tpm: undefined, maxParallel: undefined }

/** Time passes, and what waits for the machine comes. */
const passed = (ms: number) =>
  Effect.andThen(
    TestClock.adjust(ms),
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  )

const scopesOf = (owners: ReadonlyArray<Owner>, ids: ReadonlyMap<Owner, string>) => {
  const team = owners[0]!.team
  const own = owners.map((owner) => ({ scope: `key:${ids.get(owner)!}`, budgets: owner.budgets, payers: [owner] }))
  return team === null ? own : [...own, { scope: `team:${team.name}`, budgets: team.budgets, payers: owners }]
}

/** What is left of the tightest budget. */
const roomOf = (owner: Owner, ids: ReadonlyMap<Owner, string>, spent: ReadonlyArray<Spent>): number => {
  const scopes = [`key:${ids.get(owner)!}`, ...(owner.team === null ? [] : [`team:${owner.team.name}`])]
  return Math.min(...spent.filter(({ scope }) => scopes.includes(scope)).map(({ booked, limit }) => limit - booked))
}

const whyOf = ({ body, status }: TestAnswer, byProvider: string | undefined): string => {
  const error = body["error"] as { code?: unknown; type?: unknown } | undefined
  if (byProvider !== undefined) return `provider: ${byProvider.slice(0, 40)}`
  return `${status} ${String(error?.code ?? error?.type ?? "")}`
}
