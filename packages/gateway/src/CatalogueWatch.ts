/** Watches the catalogue file and what was learned from calls. A good file is in force within a second; others are logged. */
import { Effect, FileSystem, Option } from "effect"
import { CatalogueState } from "./core/domain/models/CatalogueState.ts"
import type { CatalogueFile, LearntFile } from "./core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings, WatchedFile } from "./core/domain/Settings.ts"
import { baseOf } from "./providers/catalogue/facts/Layers.ts"
import { fileAt, type CatalogueReader, writeCatalogue } from "./providers/catalogue/facts/LoadFile.ts"
import { CatalogueProblem, ignoredRules, readCatalogue, readLearnt } from "./providers/catalogue/facts/ReadCatalogue.ts"

const EVERY = "100 millis"

/** One of the files: what of it is in the settings, and how they are changed. */
interface WatchedKind<File> {
  readonly name: string
  readonly reader: CatalogueReader<File>
  readonly of: (settings: CatalogueSettings) => WatchedFile<File>
  readonly put: (settings: CatalogueSettings, loaded: File | undefined) => CatalogueSettings
  /** Why a good file is not taken; undefined: it is. */
  readonly refusal: (file: File | undefined, before: File | undefined) => string | undefined
  /** What is in force then. */
  readonly words: (file: File | undefined) => string
  /** What of a good file is ignored. */
  readonly ignored: (file: File) => ReadonlyArray<string>
}

const operators: WatchedKind<CatalogueFile> = {
  name: "the catalogue file",
  reader: readCatalogue,
  of: (settings) => settings,
  put: (settings, loaded) => ({ ...settings, loaded }),
  refusal: (file, loaded) => {
    if (file === undefined) return "the file was removed; the loaded version stays active"
    const { made, version } = baseOf(loaded).file
    return file.made < made
      ? `it was made at ${file.made}, before catalogue ${version} (${made}), which stays active`
      : undefined
  },
  words: (file) => `catalogue ${file?.version}`,
  ignored: ignoredRules
}

const learnt: WatchedKind<LearntFile> = {
  name: "the file of what was learnt",
  reader: readLearnt,
  of: (settings) => settings.learnt,
  put: (settings, loaded) => ({ ...settings, learnt: { ...settings.learnt, loaded } }),
  refusal: () => undefined,
  words: (file) => `what was learnt of ${Object.keys(file?.models ?? {}).length} models`,
  ignored: () => []
}

type Take = (
  change: (settings: CatalogueSettings) => CatalogueSettings
) => Effect.Effect<void, { readonly message: string }>

/** Without files there is nothing to watch. `take`: puts changed settings in force. */
export const watchCatalogue = Effect.fnUntraced(function* (settings: () => CatalogueSettings | undefined, take: Take) {
  const files = Option.getOrUndefined(yield* Effect.serviceOption(FileSystem.FileSystem))
  if (files === undefined) return
  const state = yield* CatalogueState
  const describe = () => {
    const { file, layer } = baseOf(settings()?.loaded)
    state.inForce(file.version, layer)
  }
  describe()
  const taking: Take = (change) => Effect.tap(take(change), () => Effect.sync(describe))
  const looks = [watched(operators, settings, taking, files), watched(learnt, settings, taking, files)].map((look) =>
    look.pipe(
      Effect.catch(({ message }) => {
        state.failed()
        return Effect.logError(message)
      })
    )
  )
  for (;;) {
    for (const look of looks) yield* look
    yield* Effect.sleep(EVERY)
  }
})

/** The look at one file: it fails once for each file that is not taken. */
const watched = <File extends object>(
  { ignored, name, of, put, reader, refusal, words }: WatchedKind<File>,
  settings: () => CatalogueSettings | undefined,
  take: Take,
  files: FileSystem.FileSystem
): Effect.Effect<void, CatalogueProblem> => {
  let seen: string | undefined
  const refused = (why: string) => new CatalogueProblem({ problems: [`${name} was not loaded: ${why}`] })

  const keep = Effect.fnUntraced(function* ({ file: path, lastGood }: WatchedFile<File>, file: File | undefined) {
    if (file !== undefined) yield* Effect.forEach(ignored(file), (one) => Effect.logWarning(`${path}: ${one}`))
    if (lastGood === undefined) return
    const kept = file === undefined ? files.remove(lastGood, { force: true }) : writeCatalogue(lastGood, file)
    const unkept = `${lastGood} can't be written: after a start with an invalid file it is missing`
    yield* kept.pipe(Effect.catch(() => Effect.logWarning(unkept)))
  })

  const taken = Effect.fnUntraced(function* (now: WatchedFile<File>) {
    const file = yield* Effect.mapError(fileAt(now.file, reader), ({ message }) => refused(message))
    if (file === undefined && now.loaded === undefined) return
    const why = refusal(file, now.loaded)
    if (why !== undefined) return yield* refused(`${now.file}: ${why}`)
    yield* Effect.mapError(
      take((settings) => put(settings, file)),
      ({ message }) => refused(message)
    )
    yield* Effect.logInfo(`${words(file)} of ${now.file} is active`)
    yield* keep(now, file)
  })

  const look = Effect.gen(function* () {
    const all = settings()
    if (all === undefined) return
    const now = of(all)
    const stamp = yield* stampOf(now.file)
    if (stamp === seen) return
    const isFirst = seen === undefined
    seen = stamp
    if (!isFirst || (now.loaded === undefined && now.problem === undefined)) return yield* taken(now)
    if (now.problem !== undefined) return yield* refused(now.problem)
    yield* keep(now, now.loaded)
  })
  return Effect.provideService(look, FileSystem.FileSystem, files)
}

/** Changes when another file is at the path. */
const stampOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const stat = yield* Effect.option(files.stat(path))
  return Option.match(stat, {
    onNone: () => `${path}: none`,
    onSome: ({ ino, mtime, size }) =>
      `${path}: ${Option.getOrElse(ino, () => 0)} ${Option.getOrUndefined(mtime)?.getTime()} ${size}`
  })
})
