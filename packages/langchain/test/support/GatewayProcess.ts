/**
 * The real gateway in a process of its own, with the demo provider behind it: no network, no vendor's key. It is started from the
 * sources on the Node that runs the tests, and known to them by its port alone.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const main = join(root, "packages", "model-gateway", "src", "main.ts")

export const masterKey = "t3sT-0Nly-kJ8vQz2LmXw5RbNc7YdPf4Hs9AgUe6TiVo1"

/**
 * Every answering demo model in its bucket; each fault behind a name of its own; `paced`: slow enough to be left in the middle, on a
 * busy machine too. The tests fail often on purpose, so that retries are not counted against each other. `failover` has a failing
 * deployment of its own, which is asked first until it has failed five times in a row: so many tests may use it. A stream that is
 * left is closed at once, so that tests need not wait for what it cost.
 */
export const demoYaml = `
providers:
  demo: { vendor: demo }
  broken: { vendor: demo }
  paced: { vendor: demo, tokens_per_second: 10 }
deployments:
  - demo/mini
  - demo/standard
  - demo/large
  - demo/reasoner
  - demo/embed
  - demo/rerank
  - demo/flaky-1
  - demo/cut-0
  - demo/cut-6
  - demo/hang
  - demo/garbage
  - demo/slow-300
  - demo/status-401
  - demo/status-402
  - demo/status-429
  - demo/status-500
  - demo/status-503
  - broken/status-500
  - paced/standard
models: { failover: [broken/status-500, demo/mini] }
router:
  buckets: { simple: [demo/mini], standard: [demo/standard], complex: [demo/large], reasoning: [demo/reasoner] }
failover: { attempts: 2, base_delay: 1ms, finish_abandoned: 0s, retry_budget: { percent: 100, extra: 1000, window: 10s } }
`

export interface RunningProcess {
  /** Without `/v1`. */
  readonly url: string
  /** The store's file. */
  readonly store: string
  /** Ends the process and removes what it wrote. */
  readonly stop: () => Promise<void>
}

/** Starts a gateway with this configuration (without server, master key and store) and completes when it listens. */
export const startProcess = async (yaml: string): Promise<RunningProcess> => {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-langchain-"))
  const file = join(folder, "gateway.yaml")
  const store = join(folder, "gateway.db")
  // A power cut is no part of these tests: without waiting for the disk they take half the time.
  const own = `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: { sqlite: ${store}, synchronous: normal }\n`
  writeFileSync(file, own + yaml)
  const child = spawn(process.execPath, ["--conditions=model-gateway-source", main, "serve", "--config", file], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = once(child, "close")
  const clean = () => rmSync(folder, { recursive: true, force: true })
  // A test run that is torn down without its hooks takes the process with it.
  const atExit = () => {
    child.kill("SIGKILL")
    clean()
  }
  process.once("exit", atExit)
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
    process.off("exit", atExit)
    clean()
  }
  try {
    return { url: await listening(child), store, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const listening = async (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const url = /listening on (http:\S+)\n/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("error", reject)
    child.once("close", (code) => reject(new Error(`The gateway ended with ${code} before it listened:\n${said}`)))
  })
