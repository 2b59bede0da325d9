/**
 * The command line from its arguments (`Stdio`) to what is said at the end. The exit code is `exitCodeOf` how it ends.
 */
import { Effect } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { report } from "./Failure.ts"
import { layerPresenter } from "./Presenter.ts"
import { root } from "./Root.ts"

const layerCli = [
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  CliOutput.layer(CliOutput.defaultFormatter({ globalFlags: "summary" })),
  layerPresenter
] as const

export const program = (version: string) =>
  Command.run(root, { version }).pipe(
    Effect.tapCause((cause) => report(cause, version)),
    Effect.provide(layerCli)
  )
