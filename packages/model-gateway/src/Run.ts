/** The command line of this process. */
import { readFileSync } from "node:fs"
// Single modules: the package's index loads Redis, clusters and more, half of a command's start time.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { exitCodeOf } from "./Failure.ts"
import { program } from "./Program.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string
}

const run =
  process.argv[2] === "serve"
    ? program((await import("./serve/ServeRoot.ts")).root, version)
    : program((await import("./Root.ts")).root, version)

run.pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // A reader that is slower than a pipe is large gets the rest too.
    teardown: (exit, onExit) => void process.stdout.write("", () => onExit(exitCodeOf(exit)))
  })
)
