/** Notes what administrators do, once it is done. */
import type { auditActions } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { CurrentActor } from "../../../core/administration/Actor.ts"
import { AuditRepository } from "../../../core/administration/AuditRepository.ts"

export type AuditAction = (typeof auditActions)[number]

export type Note = (action: AuditAction, target: string, before: unknown, after: unknown) => Effect.Effect<void>

/** What was done can't be taken back where the note fails: then the log tells it. */
export const makeNote = Effect.map(AuditRepository, (repository): Note =>
  Effect.fnUntraced(function* (action, target, before, after) {
    const actor = yield* CurrentActor
    const entry = { at: yield* Clock.currentTimeMillis, actor, action, target, before, after }
    yield* repository
      .add(entry)
      .pipe(
        Effect.catch(({ message }) =>
          Effect.logError(`The audit log misses ${action} ${target} by ${actor.id} from ${actor.address}: ${message}`)
        )
      )
  })
)
