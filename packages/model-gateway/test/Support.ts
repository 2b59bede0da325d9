/** What the tests of this room share: the command line as users run it, in a process and a folder of its own. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const root = join(import.meta.dirname, "..", "..", "..")
const node = join(root, "node_modules", ".bin", "node")
const main = join(root, "packages", "model-gateway", "src", "main.ts")

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Surroundings {
  readonly cwd: string
  /** In addition to PATH, and nothing else. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `model-gateway <args>` to its end. */
export const run = (args: ReadonlyArray<string>, { cwd, env = {} }: Surroundings): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const child = spawn(node, ["--conditions=model-gateway-source", main, ...args], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const texts = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.stderr += text))
    child.on("error", (error) => resume(Effect.die(error)))
    child.on("close", (code) => resume(Effect.succeed({ code, ...texts })))
    return Effect.sync(() => child.kill())
  })

/** An empty folder, gone when the test is over. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-cli-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
