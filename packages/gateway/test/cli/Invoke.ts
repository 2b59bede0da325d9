/** The command line without a process of its own: the same program, its arguments handed in and its output taken. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stdio } from "effect"
import { TestConsole } from "effect/testing"
import { Environment } from "../../src/cli/Environment.ts"
import { exitCodeOf } from "../../src/cli/Failure.ts"
import { program } from "../../src/cli/Program.ts"
import type { Ran } from "./Support.ts"

/** `env` is the whole environment. */
export const invoke = Effect.fnUntraced(
  function* (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) {
    const exit = yield* program("0.0.0-test").pipe(
      Effect.provideService(Environment, env),
      Effect.provide(Stdio.layerTest({ args: Effect.succeed(args) })),
      Effect.provide(NodeServices.layer),
      Effect.exit
    )
    const text = (lines: ReadonlyArray<unknown>) => lines.map((line) => `${line}\n`).join("")
    const ran: Ran = {
      code: exitCodeOf(exit),
      stdout: text(yield* TestConsole.logLines),
      stderr: text(yield* TestConsole.errorLines)
    }
    return ran
  },
  Effect.provide(Layer.fresh(TestConsole.layer))
)
