/** `model-gateway import litellm`: LiteLLM's configuration as one of this gateway. */
import * as nodePath from "node:path"
import { Console, Effect, FileSystem, type PlatformError } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { fileToWrite } from "../ConfigurationFile.ts"
import { Report } from "@model-gateway/gateway/internal/config/Problem"
import { asCalled } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { notWritten } from "../NotWritten.ts"
import { convert, type Converted } from "@model-gateway/import-litellm/config/Convert"
import { reportAsJson, reportAsText } from "@model-gateway/import-litellm/config/ReportView"
import { includedBy, readSource, type Source } from "@model-gateway/import-litellm/config/source/Source"
import { optionalText, toggle, wordFlag } from "../Flags.ts"

const OWNER_ONLY = 0o600
const MOST_FILES = 50

export const litellm = Command.make(
  "litellm",
  {
    file: Argument.String("file").pipe(Argument.withDescription("LiteLLM's config.yaml")),
    out: fileToWrite("out"),
    stdout: toggle("stdout", "print the configuration, and the report on stderr; write no file"),
    report: wordFlag(
      "report",
      ["text", "json"],
      "text lists what changed or was left out; json has a line for every value (default: text)"
    ).pipe(Flag.withDefault("text" as const)),
    env: optionalText("env", "FILE", "a .env file: variables that it lacks are named; no value is read out")
  },
  Effect.fn("import.litellm")(function* ({ env, file, out, report, stdout }) {
    const fileSystem = yield* FileSystem.FileSystem
    const converted = yield* Effect.fromResult(convert(yield* sourcesOf(file)))
    const lacking = env._tag === "None" ? [] : lackingIn(converted.variables, yield* textOf(env.value))
    const { text } = converted
    if (text !== undefined && !stdout) {
      // `wx`: one step that never replaces a file.
      yield* fileSystem
        .writeFileString(out, text, { flag: "wx", mode: OWNER_ONLY })
        .pipe(Effect.mapError(notWritten(out, "--out")))
    }
    const wrote = text === undefined || stdout ? undefined : out
    const said =
      report === "json"
        ? reportAsJson(converted.lines, {
            wrote: wrote ?? null,
            variables: converted.variables,
            ...(env._tag === "None" ? {} : { lacking })
          })
        : yield* asCalled(told(converted, wrote, env._tag === "None" ? undefined : lacking))
    if (stdout && text !== undefined) yield* Console.log(text.trimEnd())
    yield* stdout ? Console.error(said) : Console.log(said)
    if (text === undefined) {
      return yield* new CommandFailed({
        message: `No model of ${file} can be carried over, so nothing was written; the report says why.`
      })
    }
  })
).pipe(
  Command.withDescription(
    "Read LiteLLM's config.yaml and write a configuration of this gateway that does the same. Every value is carried over, or reported with its place and the reason. Keys are never copied: the new file refers to environment variables. Never overwrites a file."
  ),
  Command.withShortDescription("Convert LiteLLM's config.yaml"),
  Command.withExamples([
    {
      command: "model-gateway import litellm config.yaml",
      description: "Write gateway.yaml and report what changed"
    },
    { command: "model-gateway import litellm config.yaml --stdout", description: "Only look at it" },
    { command: "model-gateway import litellm config.yaml --env .env --report json" }
  ])
)

/** The file and those that it includes. */
const sourcesOf = Effect.fnUntraced(function* (file: string) {
  const sources: Array<Source> = []
  const queue = [file]
  const seen = new Set<string>()
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (seen.has(nodePath.resolve(next))) continue
    seen.add(nodePath.resolve(next))
    if (sources.length === MOST_FILES) {
      return yield* new CommandFailed({ message: `${file} includes more than ${MOST_FILES} files.` })
    }
    const source = { file: next, text: yield* textOf(next) }
    sources.push(source)
    // `convert` reports what is wrong with it.
    const root = readSource(source, new Report(next))
    const folder = nodePath.dirname(next)
    if (root !== undefined) queue.push(...includedBy(root).map((name) => nodePath.join(folder, name)))
  }
  return sources
})

const textOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(Effect.mapError((error) => new CommandFailed({ message: `${file} can't be read: ${inWords(error)}` })))
  return text.replace(/^\uFEFF/, "")
})

/** Names alone are read: `NAME=…`, with or without `export`. */
const lackingIn = (variables: ReadonlyArray<string>, dotEnv: string): ReadonlyArray<string> => {
  const there = new Set(Array.from(dotEnv.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*\S/gm), ([, name]) => name))
  return variables.filter((name) => !there.has(name))
}

const told = (
  { counts, lines, text, variables }: Converted,
  wrote: string | undefined,
  lacking: ReadonlyArray<string> | undefined
): string => {
  const amount = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`
  const flag = wrote === undefined || wrote === "gateway.yaml" ? "" : ` --config ${wrote}`
  return [
    ...(wrote === undefined
      ? []
      : [
          `Wrote ${wrote}: ${amount(counts.deployments, "deployment")} of ${amount(counts.providers, "provider")}, behind ${amount(counts.models, "name")}.`
        ]),
    reportAsText(lines),
    ...(variables.length === 0 ? [] : ["", `Variables that it needs: ${variables.join(", ")}`]),
    ...(lacking === undefined
      ? []
      : [lacking.length === 0 ? "The .env file has all of them." : `The .env file lacks: ${lacking.join(", ")}`]),
    ...(text === undefined || wrote === undefined
      ? []
      : ["", "Next:", `  model-gateway check${flag}    what would run`, `  model-gateway serve${flag}    run it`])
  ].join("\n")
}

const inWords = ({ reason }: PlatformError.PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "no such file"
    case "PermissionDenied":
      return "no permission to read it"
    default:
      return "it is no file that can be read"
  }
}
