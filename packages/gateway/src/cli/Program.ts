/**
 * The command line from its arguments (`Stdio`) to what is said at the end. The exit code is `exitCodeOf` how it ends.
 */
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { report } from "./Failure.ts"
import { layerPresenter } from "./Presenter.ts"
import { root } from "./Root.ts"

const layerCli = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  CliOutput.layer(CliOutput.defaultFormatter({ globalFlags: "summary" })),
  layerPresenter
)

export const program = (version: string) =>
  Command.run(root, { version }).pipe(
    Effect.tapCause((cause) => report(cause, version)),
    Effect.provide(layerCli)
  )
