/**
 * The configuration file on disk → `Settings`.
 */
import * as path from "node:path"
import { Effect, FileSystem, Result, type PlatformError } from "effect"
import type { KnownVendor, Settings } from "../core/domain/Settings.ts"
import { filesNamedIn, type Environment } from "./Interpolation.ts"
import { parseTree, settingsIn } from "./ParseSettings.ts"
import { ConfigInvalid, Report, wholeFile } from "./Problem.ts"

export interface LoadOptions {
  /** The path of the file, shown in problems as it is given here. */
  readonly file: string
  readonly vendors: ReadonlyArray<KnownVendor>
  readonly environment: Environment
}

/** Reads the file and the files it names in `${file:…}` (relative ones from its folder). */
export const loadSettings = Effect.fn("loadSettings")(function* (
  options: LoadOptions
): Effect.fn.Return<Settings, ConfigInvalid, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(options.file)
    .pipe(Effect.mapError((error) => unreadable(options.file, error)))

  const report = new Report(options.file)
  const tree = parseTree(text, report)
  const names = new Set(tree === undefined ? [] : filesNamedIn(tree))
  const contents = new Map<string, Result.Result<string, string>>()
  for (const name of names) {
    const content = fileSystem.readFileString(path.resolve(path.dirname(options.file), name))
    contents.set(name, yield* content.pipe(Effect.mapError(inWords), Effect.result))
  }
  const readFile = (name: string) => contents.get(name) ?? Result.fail("no such file")
  return yield* Effect.fromResult(settingsIn(tree, report, { ...options, readFile }))
})

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
