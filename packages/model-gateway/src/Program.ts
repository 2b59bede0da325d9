/** The command line from its arguments (`Stdio`) to its last message. `exitCodeOf` gives the exit code. */
import { ProductVersion } from "@model-gateway/gateway/internal/core/domain/About"
import { Effect, Layer, Stdio } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { report } from "./Failure.ts"
import { layerPresenter } from "./Presenter.ts"

const layerCli = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  CliOutput.layer(CliOutput.defaultFormatter({ globalFlags: "summary" })),
  layerPresenter
)

/** `help keys create` is `keys create --help`, as many know it from other programs. One that there is not is a mistake. */
const helpLast = (args: ReadonlyArray<string>, root: Command.Command.Any): ReadonlyArray<string> => {
  const [first, ...path] = args
  if (first !== "help") return args
  let at: Command.Command.Any | undefined = root
  for (const name of path) {
    if (name.startsWith("-")) break
    at = at?.subcommands.flatMap(({ commands }) => commands).find((command) => command.name === name)
  }
  return at === undefined ? path : [...path, "--help"]
}

/** `--budget -5/day` is read as an invalid value, not as five flags. */
const withNumbers = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((one, index) => {
    const isFlag = /^--[a-z][a-z-]*$/.test(one)
    const next = args[index + 1] ?? ""
    if (isFlag && /^-\d/.test(next)) return [`${one}=${next}`]
    return /^-\d/.test(one) && /^--[a-z][a-z-]*$/.test(args[index - 1] ?? "") ? [] : [one]
  })

/** `root`: `root` of `Root.ts`, or what of it these arguments need. */
export const program = <Name extends string, Input, ContextInput, E, R>(
  root: Command.Command<Name, Input, ContextInput, E, R>,
  version: string
) =>
  Command.run(root, { version }).pipe(
    Effect.updateService(Stdio.Stdio, (stdio) => ({
      ...stdio,
      args: Effect.map(stdio.args, (args) => helpLast(withNumbers(args), root))
    })),
    Effect.tapCause((cause) => report(cause, version)),
    Effect.provide(layerCli),
    Effect.provideService(ProductVersion, version)
  )
