/** How a repository of keys hears of what others write to its store. */
import type { DatabaseSync } from "node:sqlite"
import { Context, Effect, Option, PubSub, Schedule, type Scope, Stream } from "effect"
import type { ChangeNotice } from "../../../core/keys/KeyRepository.ts"
import { unavailable } from "../file/SqliteErrors.ts"

/** One repository among those on a store. */
interface ChangeMember {
  /** After a change of its own is in the store. */
  readonly tell: (notice: ChangeNotice) => Effect.Effect<void>
  /** What the others changed since it joined. */
  readonly changes: Stream.Stream<ChangeNotice>
}

/** How often a file is asked whether another connection has written to it. That takes some microseconds. */
const EVERY = "1 second"

export class KeyChanges extends Context.Service<
  KeyChanges,
  { readonly join: Effect.Effect<ChangeMember, never, Scope.Scope> }
>()("gateway/storage/KeyChanges") {
  /** For a database in memory: everybody who can write to it is in this process, and says what was changed. */
  static readonly inMemory = Effect.map(
    PubSub.unbounded<{ readonly from: symbol; readonly notice: ChangeNotice }>(),
    (all): KeyChanges["Service"] => ({
      join: Effect.map(PubSub.subscribe(all), (told) => {
        const self = Symbol()
        return {
          tell: (notice) => Effect.asVoid(PubSub.publish(all, { from: self, notice })),
          changes: Stream.fromSubscription(told).pipe(
            Stream.filter(({ from }) => from !== self),
            Stream.map(({ notice }) => notice)
          )
        }
      })
    })
  )

  /**
   * For a file, through the connection that writes for this process: SQLite counts what other connections have committed, though
   * not what that was. The store's lock keeps other gateways away, so these are other programs, and rare.
   */
  static readonly ofFile = (db: DatabaseSync): KeyChanges["Service"] => {
    const statement = db.prepare("PRAGMA data_version")
    // Where it can't be read, the next look tells.
    const version = Effect.option(Effect.try({ try: () => statement.get()?.["data_version"], catch: unavailable }))
    return {
      join: Effect.map(version, (first) => ({
        tell: () => Effect.void,
        changes: Stream.fromEffectSchedule(version, Schedule.spaced(EVERY)).pipe(
          Stream.prepend([first]),
          Stream.filter(Option.isSome),
          Stream.changes,
          Stream.drop(1),
          Stream.map(() => ({ what: "all" }))
        )
      }))
    }
  }
}
