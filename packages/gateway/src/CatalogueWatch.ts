/**
 * Watches the operator's catalogue file. A good one takes force within a second, and is kept as the last good one; any other changes
 * nothing, is logged once, and counted.
 */
import { Effect, FileSystem, Option, Result } from "effect"
import { CatalogueState } from "./core/domain/models/CatalogueState.ts"
import type { CatalogueFile } from "./core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings } from "./core/domain/Settings.ts"
import { baseOf } from "./providers/catalogue/facts/Layers.ts"
import { fileAt, writeCatalogue } from "./providers/catalogue/facts/LoadFile.ts"
import { CatalogueProblem } from "./providers/catalogue/facts/ReadFile.ts"

const EVERY = "100 millis"

/** Without files there is nothing to watch. */
export const watchCatalogue = Effect.fnUntraced(function* (
  settings: () => CatalogueSettings | undefined,
  take: (loaded: CatalogueFile) => Effect.Effect<void, { readonly message: string }>
) {
  const files = Option.getOrUndefined(yield* Effect.serviceOption(FileSystem.FileSystem))
  if (files === undefined) return
  const state = yield* CatalogueState
  const describe = () => {
    const { file, layer } = baseOf(settings()?.loaded)
    state.inForce(file.version, layer)
  }
  const stamp = (path: string) =>
    Effect.map(Effect.option(files.stat(path)), (stat) =>
      Option.match(stat, {
        onNone: () => `${path}: none`,
        onSome: ({ ino, mtime, size }) =>
          `${path}: ${Option.getOrElse(ino, () => 0)} ${Option.getOrUndefined(mtime)?.getTime()} ${size}`
      })
    )
  const check = Effect.fnUntraced(function* ({ file: path, lastGood, loaded }: CatalogueSettings) {
    const file = yield* fileAt(path)
    if (file === undefined) {
      if (loaded === undefined) return
      return yield* new CatalogueProblem({ problems: [`${path}: the file is gone; what was loaded stays in force`] })
    }
    const before = baseOf(loaded).file
    if (file.made < before.made) {
      const why = `${path}: it was made at ${file.made}, before catalogue ${before.version} (${before.made}), which stays in force`
      return yield* new CatalogueProblem({ problems: [why] })
    }
    yield* take(file)
    describe()
    yield* Effect.logInfo(`catalogue ${file.version} of ${path} is in force`)
    if (lastGood === undefined) return
    const unkept = `${lastGood} can't be written: a start with a bad file would begin with the catalogue that ships`
    yield* writeCatalogue(lastGood, file).pipe(
      Effect.provideService(FileSystem.FileSystem, files),
      Effect.catch(() => Effect.logWarning(unkept))
    )
  })

  const refused = (why: string) => {
    state.failed()
    return Effect.logError(`the catalogue file was not taken: ${why}`)
  }

  describe()
  const first = settings()
  if (first?.problem !== undefined) yield* refused(first.problem)
  const isRead = first?.loaded !== undefined || first?.problem !== undefined
  let seen = isRead ? yield* stamp(first.file) : ""
  for (;;) {
    yield* Effect.sleep(EVERY)
    const now = settings()
    if (now === undefined) continue
    const stamped = yield* stamp(now.file)
    if (stamped === seen) continue
    seen = stamped
    const result = yield* Effect.result(Effect.provideService(check(now), FileSystem.FileSystem, files))
    if (Result.isSuccess(result)) continue
    yield* refused(result.failure.message)
  }
})
