/** The configuration file on disk → `Settings`. */
import * as path from "node:path"
import { Effect, FileSystem, Option, Result, type PlatformError } from "effect"
import type { KnownVendor, Settings } from "../core/domain/Settings.ts"
import { loadPatterns } from "../core/guardrails/PatternRule.ts"
import { Here } from "./Here.ts"
import { filesNamedIn, type Environment } from "./Interpolation.ts"
import { parseTree, settingsIn } from "./ParseSettings.ts"
import { ConfigInvalid, type Position, Report, wholeFile } from "./Problem.ts"

export interface LoadOptions {
  /** As problems show it. */
  readonly file: string
  readonly vendors: ReadonlyArray<KnownVendor>
  readonly environment: Environment
}

export const loadSettings = Effect.fn("loadSettings")(function* (
  options: LoadOptions
): Effect.fn.Return<Settings, ConfigInvalid, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(options.file)
    .pipe(Effect.mapError((error) => unreadable(options.file, error)))

  // Patterns are compiled to say what is wrong with them.
  if (text.includes("guardrails")) yield* loadPatterns
  const report = new Report(options.file)
  const tree = parseTree(text, report)
  const names = new Set(tree === undefined ? [] : filesNamedIn(tree))
  const contents = new Map<string, Result.Result<string, string>>()
  for (const name of names) {
    const content = fileSystem.readFileString(path.resolve(path.dirname(options.file), name))
    contents.set(name, yield* content.pipe(Effect.mapError(inWords), Effect.result))
  }
  const readFile = (name: string) => contents.get(name) ?? Result.fail("no such file")
  const settings = yield* Effect.fromResult(settingsIn(tree, report, { ...options, readFile }))
  if (settings.store.postgres !== undefined || settings.store.sqlite === ":memory:") return settings
  const here = tree && new Here(tree, "", report).field("store")?.field("sqlite")
  yield* checkStore(settings.store.sqlite, here?.at ?? wholeFile, report)
  return report.isEmpty ? { ...settings, warnings: report.warnings } : yield* report.invalid()
})

/** How every database of SQLite begins. An empty file becomes one. */
const SQLITE = "SQLite format 3\0"

const checkStore = Effect.fnUntraced(function* (file: string, at: Position, report: Report) {
  const files = yield* FileSystem.FileSystem
  const found = Option.getOrUndefined(yield* Effect.option(files.stat(file)))
  const refuse = (what: string) =>
    report.add(at, PATH, { found: what, allowed: "a file", message: `${file} is ${what}; name the file of the store` })
  if (found === undefined) {
    const folder = path.dirname(path.resolve(file))
    const exists = yield* Effect.orElseSucceed(files.exists(folder), () => true)
    if (!exists) report.warn(at, PATH, `the folder ${folder} does not exist; \`serve\` creates it`)
  } else if (found.type === "Directory") refuse("a folder")
  else if (found.type === "File" && found.size > 0n) {
    const start = yield* Effect.option(
      Effect.scoped(Effect.flatMap(files.open(file), (opened) => opened.readAlloc(SQLITE.length)))
    )
    const bytes = Option.getOrUndefined(Option.flatten(start))
    if (bytes !== undefined && new TextDecoder().decode(bytes) !== SQLITE) refuse("a file of another kind")
  }
})

const PATH = "store.sqlite"

const unreadable = (file: string, error: PlatformError.PlatformError): ConfigInvalid => {
  const why = inWords(error)
  const report = new Report(file)
  const message =
    error.reason._tag === "NotFound"
      ? "no such file; `model-gateway init` writes one to start from"
      : `can't be read: ${why}`
  report.add(wholeFile, "", { found: why, allowed: "a file that can be read", message })
  return report.invalid()
}

const inWords = ({ reason }: PlatformError.PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "no such file"
    case "PermissionDenied":
      return "no permission to read it"
    case "BadResource":
      return "it is no file"
    default:
      return "it can't be read"
  }
}
