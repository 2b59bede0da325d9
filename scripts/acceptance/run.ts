/**
 * Other people's clients, unchanged, against the gateway as a first-time user starts it (`model-gateway demo`). One line per check,
 * then `N passed, N failed`; exit code 1 when one failed.
 *
 *   npm run acceptance
 *
 * The Python client gets an environment of its own under node_modules/.cache, made on the first run. Where there is no Python, a
 * line says so, and nothing is checked.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { gatewayProcess, jsonLine } from "../../packages/gateway/test/support/GatewayProcess.ts"

const CLIENT = "openai==3.22.1"

const root = join(import.meta.dirname, "..", "..")
const environment = join(root, "node_modules", ".cache", "model-gateway", CLIENT.replace("==", "-"))
const ownPython = join(environment, "bin", "python")

interface Ran {
  readonly status: number | null
  readonly output: string
}

const run = (program: string, ...args: ReadonlyArray<string>): Ran => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
  return { status, output: error === undefined ? `${stdout}${stderr}` : error.message }
}

const hasPython = (): boolean => run("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))").status === 0

/** Makes the client's environment where it is missing; what went wrong, if anything did. */
const install = (): string | undefined => {
  if (run(ownPython, "-c", "import openai").status === 0) return undefined
  console.log(`Installing ${CLIENT} for Python (once)`)
  rmSync(environment, { recursive: true, force: true })
  for (const [program, ...args] of [
    ["python3", "-m", "venv", environment],
    [ownPython, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", CLIENT]
  ] as const) {
    const { output, status } = run(program, ...args)
    if (status === 0) continue
    rmSync(environment, { recursive: true, force: true })
    return `${program} ${args.join(" ")} failed:\n${output.trim()}`
  }
  return undefined
}

const toItsEnd = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.callback<number>((resume) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } })
    child.once("close", (code) => resume(Effect.succeed(code ?? 1)))
  })

const acceptance = Effect.gen(function* () {
  if (!hasPython()) {
    console.log("skipped: openai-python, there is no python3 of at least 3.9")
    return 0
  }
  const problem = install()
  if (problem !== undefined) {
    console.log(`FAIL openai-python can't be installed: ${problem}`)
    return 1
  }
  const data = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-acceptance-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const { ready } = yield* gatewayProcess(["demo", "--json", "--port", "0", "--data", data], jsonLine)
  return yield* toItsEnd(ownPython, [join(import.meta.dirname, "openai_python.py")], {
    GATEWAY_URL: ready.url,
    GATEWAY_KEY: ready.virtual_key,
    GATEWAY_MASTER_KEY: ready.master_key,
    NO_PROXY: "127.0.0.1"
  })
})

process.exitCode = await Effect.runPromise(Effect.scoped(acceptance))
