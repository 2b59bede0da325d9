/** The flags that name a configuration file: one to read, one to write. */
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { CommandFailed } from "./Failure.ts"
import { optionalText, textFlag } from "./Flags.ts"

const DEFAULT = "gateway.yaml"

/** `what`: what is read from it. */
export const fileToRead = (what = "the configuration file: .yaml, .toml or .json") =>
  textFlag("config", "FILE", `${what} (default: ${DEFAULT})`).pipe(Flag.withDefault(DEFAULT))

/** The same as an argument, for the commands that read nothing else. */
export const fileOrFlag = {
  file: Argument.String("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("the same as --config FILE"),
    Argument.optional
  ),
  config: optionalText("config", "FILE", `the configuration file: .yaml, .toml or .json (default: ${DEFAULT})`)
}

interface Named {
  readonly file: Option.Option<string>
  readonly config: Option.Option<string>
}

/** The one that is named, or the default. */
export const theFile = ({ config, file }: Named): Effect.Effect<string, CommandFailed> =>
  Option.isSome(config) && Option.isSome(file) && config.value !== file.value
    ? Effect.fail(new CommandFailed({ message: `Name one file: ${file.value}, or --config ${config.value}.` }))
    : Effect.succeed(
        Option.getOrElse(
          Option.orElse(config, () => file),
          () => DEFAULT
        )
      )

/** `flag`: its name. */
export const fileToWrite = (flag: string) =>
  textFlag(flag, "FILE", `the file to write (default: ${DEFAULT})`).pipe(
    Flag.filter(
      (file) => /\.ya?ml$/i.test(file),
      () => "a name that ends in .yaml: that is what gets written"
    ),
    Flag.withDefault(DEFAULT)
  )
