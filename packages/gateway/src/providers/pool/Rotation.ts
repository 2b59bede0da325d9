/** Which deployments are in rotation: as the store has it, and as other processes change it. */
import { Clock, Effect, Schedule, Semaphore, Stream } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import { RotationRepository } from "../../core/pool/RotationRepository.ts"
import type { PoolMember } from "./Member.ts"

/** From one look to the next at a store that can't be read. */
const AGAIN = "100 millis"

/** The members are as the store has it when it completes, and follow it until the scope closes. */
export const followRotation = Effect.fnUntraced(function* (members: ReadonlyMap<string, PoolMember>) {
  const rotation = yield* RotationRepository
  const clock = yield* Clock.Clock
  const reading = Semaphore.makeUnsafe(1)

  // One after the other, so that what is read last is in force.
  const refresh: Effect.Effect<void, StoreUnavailable> = Effect.map(rotation.disabled, (disabled) => {
    for (const [id, member] of members) member.inRotation = !disabled.has(id)
  }).pipe(Semaphore.withPermit(reading))

  const resetHere = (ids: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const id of ids) members.get(id)?.health.reset(clock.currentTimeMillisUnsafe())
    })

  const follow = Stream.runForEach(rotation.changes, (change) =>
    change.what === "reset"
      ? resetHere([change.id])
      : Effect.orDie(Effect.retry(refresh, { schedule: Schedule.spaced(AGAIN) }))
  )
  // Before it is read: a change in between is in what is read, or told.
  yield* Effect.forkScoped(follow, { startImmediately: true })
  yield* refresh

  const set = Effect.fnUntraced(function* (
    ids: ReadonlyArray<string>,
    inRotation: boolean,
    entries: ReadonlyArray<NewAuditEntry>
  ) {
    yield* rotation.setDisabled(ids, !inRotation, entries)
    const itself = Effect.sync(() => {
      for (const id of ids) {
        const member = members.get(id)
        if (member !== undefined) member.inRotation = inRotation
      }
    })
    yield* refresh.pipe(Effect.catch(() => itself))
  })

  const reset = (ids: ReadonlyArray<string>) => Effect.andThen(resetHere(ids), rotation.reset(ids))
  return { set, reset }
})
