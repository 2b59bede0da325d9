/** The operator's catalogue file. A start never fails on it: the last good one is taken, then the one that ships. */
import { dirname } from "node:path"
import { Effect, FileSystem, Option, Result } from "effect"
import type { CatalogueFile } from "../../../core/domain/models/CatalogueFormat.ts"
import { LARGEST_FILE } from "../../../core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings, Settings } from "../../../core/domain/Settings.ts"
import { CatalogueProblem, readCatalogue } from "./ReadFile.ts"

/** A file that is not there, is none. */
export const fileAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<CatalogueFile | undefined, CatalogueProblem, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const refused = (why: string) => new CatalogueProblem({ problems: [`${path}: ${why}`] })
  const stat = yield* Effect.option(files.stat(path))
  if (Option.isNone(stat)) return undefined
  if (stat.value.size > LARGEST_FILE) {
    return yield* refused(`the file has ${stat.value.size} bytes; the most is ${LARGEST_FILE}`)
  }
  const text = yield* Effect.mapError(files.readFileString(path), () => refused("the file can't be read"))
  const read = readCatalogue(text)
  if (Result.isSuccess(read)) return read.success
  return yield* new CatalogueProblem({ problems: read.failure.problems.map((problem) => `${path}: ${problem}`) })
})

/** Settings with the catalogue file that a start begins with. */
export const withCatalogue = Effect.fnUntraced(function* <A extends Pick<Settings, "catalogue">>(
  settings: A
): Effect.fn.Return<A, never, FileSystem.FileSystem> {
  const { catalogue } = settings
  return catalogue === undefined ? settings : { ...settings, catalogue: yield* loadedAtStart(catalogue) }
})

const loadedAtStart = Effect.fnUntraced(function* (
  settings: CatalogueSettings
): Effect.fn.Return<CatalogueSettings, never, FileSystem.FileSystem> {
  const read = yield* Effect.result(fileAt(settings.file))
  if (Result.isSuccess(read)) {
    const isMissing = read.success === undefined && settings.isNamed
    return {
      ...settings,
      loaded: read.success,
      ...(isMissing ? { problem: `${settings.file}: there is no such file` } : {})
    }
  }
  const last = settings.lastGood === undefined ? undefined : yield* Effect.option(fileAt(settings.lastGood))
  return {
    ...settings,
    loaded: last === undefined ? undefined : Option.getOrUndefined(last),
    problem: read.failure.message
  }
})

/** Replaces a file at once. */
export const writeCatalogue = Effect.fnUntraced(function* (path: string, file: CatalogueFile) {
  const files = yield* FileSystem.FileSystem
  const growing = `${path}.new`
  yield* files.makeDirectory(dirname(path), { recursive: true })
  yield* files.writeFileString(growing, `${JSON.stringify(file, null, 1)}\n`)
  yield* files.rename(growing, path)
})
