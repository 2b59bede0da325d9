/** The command line without a process of its own: the same program, its arguments handed in and its output taken. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Sink, Stdio } from "effect"
import { TestConsole } from "effect/testing"
import { Environment } from "../src/Environment.ts"
import { exitCodeOf } from "../src/Failure.ts"
import { program } from "../src/Program.ts"
import { root } from "../src/Root.ts"
import type { Ran } from "./Support.ts"

const text = (lines: ReadonlyArray<unknown>): string => lines.map((line) => `${line}\n`).join("")

/** `written`: what went to stdout past the console, as long outputs do. */
const run = (written: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(program(root, "0.0.0-test"))
    const ran: Ran = {
      code: exitCodeOf(exit),
      stdout: text(yield* TestConsole.logLines) + written.join(""),
      stderr: text(yield* TestConsole.errorLines)
    }
    return ran
  })

/** `env` is the whole environment. */
export const invoke = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Effect.Effect<Ran> =>
  Effect.suspend(() => {
    const written: Array<string> = []
    const stdout = () =>
      Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => written.push(Buffer.from(chunk).toString())))
    return run(written).pipe(
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          Stdio.layerTest({ args: Effect.succeed(args), stdout }),
          Layer.succeed(Environment, env),
          // A console for each run: the test's own would keep what others printed.
          Layer.fresh(TestConsole.layer)
        )
      )
    )
  })
