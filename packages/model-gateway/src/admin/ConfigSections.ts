/**
 * Single sections of a configuration file. Who administers a gateway need not have the provider keys and secret files that
 * running it takes, so the rest of the file is left alone.
 */
import * as path from "node:path"
import { Effect, FileSystem, Option, Result, type Schema } from "effect"
import { decode } from "@model-gateway/gateway/internal/config/Decode"
import { Here } from "@model-gateway/gateway/internal/config/Here"
import { filesNamedIn, interpolate } from "@model-gateway/gateway/internal/config/Interpolation"
import { parseTree } from "@model-gateway/gateway/internal/config/ParseSettings"
import { type ConfigInvalid, Report } from "@model-gateway/gateway/internal/config/Problem"
import type { TreeNode } from "@model-gateway/gateway/internal/config/tree/Tree"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

export interface ConfigSections {
  /** Undefined where the file has no such section. */
  readonly read: <A>(
    name: string,
    schema: Schema.Codec<A, unknown>
  ) => Effect.Effect<A | undefined, ConfigInvalid, FileSystem.FileSystem>
}

/** None: there is no such file. */
export const openConfig = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<Option.Option<ConfigSections>, ConfigInvalid | CommandFailed, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem.readFileString(file).pipe(
    Effect.asSome,
    Effect.catch((error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeedNone
        : Effect.fail(new CommandFailed({ message: `${file} can't be read; may you read it, and is it a file?` }))
    )
  )
  if (Option.isNone(text)) return Option.none()
  const report = new Report(file)
  const tree = parseTree(text.value, report)
  if (tree === undefined || !report.isEmpty) return yield* report.invalid()
  return Option.some({ read: (name, schema) => readSection(file, tree, name, schema) })
})

const readSection = Effect.fnUntraced(function* <A>(
  file: string,
  tree: TreeNode,
  name: string,
  schema: Schema.Codec<A, unknown>
): Effect.fn.Return<A | undefined, ConfigInvalid, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const node = tree.kind === "table" ? tree.entries.find((entry) => entry.key === name)?.value : undefined
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return undefined

  const contents = new Map<string, Result.Result<string, string>>()
  for (const named of filesNamedIn(node)) {
    const content = fileSystem.readFileString(path.resolve(path.dirname(file), named))
    contents.set(
      named,
      yield* content.pipe(
        Effect.mapError(() => "it can't be read"),
        Effect.result
      )
    )
  }
  const report = new Report(file)
  const sources = {
    environment: yield* Environment,
    readFile: (named: string) => contents.get(named) ?? Result.fail("no such file")
  }
  const value = decode(new Here(interpolate(node, name, sources, report), name, report), schema)
  return report.isEmpty ? value : yield* report.invalid()
})
