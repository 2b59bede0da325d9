/** The gateway as users run it: `model-gateway <args>` in a process of its own, which can be killed; other servers likewise. */
import { spawn } from "node:child_process"
import { basename, join } from "node:path"
import { Effect, Schema } from "effect"

const main = join(import.meta.dirname, "../../../model-gateway/src/main.ts")

export class DidNotStart extends Schema.TaggedError<DidNotStart>()("DidNotStart", {
  message: Schema.String
}) {}

export interface GatewayProcess<Ready> {
  /** What `ready` found. */
  readonly ready: Ready
  readonly pid: number
  /** Sends a signal and goes on. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends the signal and completes when the process is gone, with its exit code; null when the signal ended it. */
  readonly end: (signal: "SIGKILL" | "SIGTERM" | "SIGINT") => Effect.Effect<number | null>
  /** What it wrote to stderr so far. */
  readonly stderr: () => string
}

/**
 * Starts a process and completes once `ready` finds what it waits for in the output; `listening` and `jsonLine` are two such. The
 * process is killed when the scope closes. `nodeOptions`: for Node itself.
 */
export const gatewayProcess = <Ready>(args: ReadonlyArray<string>, ready: Look<Ready>, extra?: Extra) =>
  nodeProcess(main, args, ready, extra)

/** What else a process may be given. */
interface Extra {
  readonly environment?: Readonly<Record<string, string>>
  readonly nodeOptions?: ReadonlyArray<string>
}

type Look<Ready> = (output: { readonly stdout: string; readonly stderr: string }) => Ready | undefined

/** The same for any file that Node runs. */
export const nodeProcess = Effect.fnUntraced(function* <Ready>(
  file: string,
  args: ReadonlyArray<string>,
  ready: Look<Ready>,
  { environment = {}, nodeOptions = [] }: Extra = {}
) {
  const output = { stdout: "", stderr: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=model-gateway-source", ...nodeOptions, file, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...environment }
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const found = yield* Effect.callback<Ready, DidNotStart>((resume) => {
    const look = (name: "stdout" | "stderr") => (text: string) => {
      output[name] += text
      const found = ready(output)
      if (found !== undefined) resume(Effect.succeed(found))
    }
    child.stdout.setEncoding("utf8").on("data", look("stdout"))
    child.stderr.setEncoding("utf8").on("data", look("stderr"))
    child.once("error", ({ message }) => resume(Effect.fail(new DidNotStart({ message }))))
    child.once("close", (code) => {
      const message = `${basename(file)} ${args.join(" ")} ended with ${code} before it was ready:\n${output.stderr}`
      resume(Effect.fail(new DidNotStart({ message })))
    })
  })
  return {
    ready: found,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    end: (signal) => {
      child.kill(signal)
      return Effect.promise(() => ended)
    },
    stderr: () => output.stderr
  } satisfies GatewayProcess<Ready> as GatewayProcess<Ready>
})

/** The address that `serve` says it listens on. */
export const listening = ({ stderr }: { readonly stderr: string }): string | undefined =>
  /listening on (http:\S+)\n/.exec(stderr)?.[1]

/** The one line of `demo --json`. */
export const jsonLine = ({ stdout }: { readonly stdout: string }) =>
  stdout.includes("\n")
    ? (JSON.parse(stdout) as { readonly url: string; readonly master_key: string; readonly virtual_key: string })
    : undefined
