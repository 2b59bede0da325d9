/** The entries of the audit log about what administrators do. */
import type { auditActions } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { AuditRepository, type NewAuditEntry, type NoteOf } from "../../../core/domain/AuditRepository.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"

export type AuditAction = (typeof auditActions)[number]

/** The entry of what is done now by whoever asks, once before and after are known. */
export const entryOf = Effect.fnUntraced(function* (action: AuditAction) {
  const { actor } = yield* CurrentPrincipal
  const at = yield* Clock.currentTimeMillis
  return (target: string, before: unknown, after: unknown): NewAuditEntry => ({
    at,
    actor,
    action,
    target,
    before,
    after
  })
})

/** For changes that the store writes together with their entry. `show` leaves out secrets, and what requests change by themselves. */
export const noteOf = <A>(action: AuditAction, target: (one: A) => string, show: (one: A) => unknown) =>
  Effect.map(entryOf(action), (entry): NoteOf<A> => (before, after) => {
    const one = after ?? before
    return entry(one === null ? "" : target(one), before && show(before), after && show(after))
  })

export type Note = (action: AuditAction, target: string, before: unknown, after: unknown) => Effect.Effect<void>

/** For what only memory knows, noted once it is done: a process that dies between the two has lost both. A failure is told in the log. */
export const makeNote = Effect.map(AuditRepository, (repository): Note =>
  Effect.fnUntraced(function* (action, target, before, after) {
    const made = (yield* entryOf(action))(target, before, after)
    const { actor } = made
    yield* repository
      .add(made)
      .pipe(
        Effect.catch(({ message }) =>
          Effect.logError(`The audit log lacks ${action} ${target} by ${actor.id} from ${actor.address}: ${message}`)
        )
      )
  })
)
