/** The operator's catalogue file, and the file of what was learnt. A start never fails on them: the last good ones are taken, then none. */
import { dirname } from "node:path"
import { Effect, FileSystem, Option, Result } from "effect"
import { LARGEST_FILE } from "../../../core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings, Settings, WatchedFile } from "../../../core/domain/Settings.ts"
import { CatalogueProblem, readCatalogue, readLearnt } from "./ReadCatalogue.ts"

export type CatalogueReader<File> = (text: string) => Result.Result<File, CatalogueProblem>

/** A file that is not there, is none. */
export const fileAt = Effect.fnUntraced(function* <File>(
  path: string,
  reader: CatalogueReader<File>
): Effect.fn.Return<File | undefined, CatalogueProblem, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const refused = (why: string) => new CatalogueProblem({ problems: [`${path}: ${why}`] })
  const stat = yield* Effect.option(files.stat(path))
  if (Option.isNone(stat)) return undefined
  if (stat.value.size > LARGEST_FILE) {
    return yield* refused(`the file has ${stat.value.size} bytes; the most is ${LARGEST_FILE}`)
  }
  const text = yield* Effect.mapError(files.readFileString(path), () => refused("the file can't be read"))
  const read = reader(text)
  if (Result.isSuccess(read)) return read.success
  return yield* new CatalogueProblem({ problems: read.failure.problems.map((problem) => `${path}: ${problem}`) })
})

export const withCatalogue = Effect.fnUntraced(function* <A extends Pick<Settings, "catalogue">>(
  settings: A
): Effect.fn.Return<A, never, FileSystem.FileSystem> {
  const { catalogue } = settings
  return catalogue === undefined ? settings : { ...settings, catalogue: yield* bothAtStart(catalogue) }
})

const bothAtStart = Effect.fnUntraced(function* (
  settings: CatalogueSettings
): Effect.fn.Return<CatalogueSettings, never, FileSystem.FileSystem> {
  const both = {
    ...(yield* loadedAtStart(settings, readCatalogue)),
    learnt: yield* loadedAtStart(settings.learnt, readLearnt)
  }
  const isMissing = both.loaded === undefined && both.problem === undefined && settings.isNamed
  return isMissing ? { ...both, problem: `${settings.file}: there is no such file` } : both
})

const loadedAtStart = Effect.fnUntraced(function* <File, Watched extends WatchedFile<File>>(
  watched: Watched,
  reader: CatalogueReader<File>
): Effect.fn.Return<Watched, never, FileSystem.FileSystem> {
  const read = yield* Effect.result(fileAt(watched.file, reader))
  if (Result.isSuccess(read)) return { ...watched, loaded: read.success }
  const last = watched.lastGood === undefined ? undefined : yield* Effect.option(fileAt(watched.lastGood, reader))
  return {
    ...watched,
    loaded: last === undefined ? undefined : Option.getOrUndefined(last),
    problem: read.failure.message
  }
})

export const writeCatalogue = Effect.fnUntraced(function* (path: string, file: object) {
  const files = yield* FileSystem.FileSystem
  const growing = `${path}.new`
  yield* files.makeDirectory(dirname(path), { recursive: true })
  yield* files.writeFileString(growing, `${JSON.stringify(file, null, 1)}\n`)
  yield* files.rename(growing, path)
})
