/** A process whose standard error is not read: requests go on, and what was logged is there when it is read again. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"

const main = join(import.meta.dirname, "../../../model-gateway/src/main.ts")
/** More than a pipe of 64 KiB holds. */
const REQUESTS = 600
const SLOWEST_MS = 2_000

const started = Effect.gen(function* () {
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  yield* Effect.sync(() =>
    writeFileSync(
      config,
      `master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
logs: { requests: all }
providers: { demo: { vendor: demo, latency: 0ms } }
deployments: [demo/mini]
`
    )
  )
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=model-gateway-source", main, "serve", "--config", config, "--json-logs"], {
        stdio: ["ignore", "ignore", "pipe"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const url = yield* Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        child.stderr.on("data", () => {
          const found = /listening on (http:\S+)\n/.exec(said)?.[1]
          if (found !== undefined) resolve(found)
        })
        void ended.then((code) => reject(new Error(`ended with ${code}: ${said}`)))
      })
  )
  return { child, ended, said: () => said, url }
})

const chats = Effect.fnUntraced(function* (url: string, key: string) {
  const body = { model: "demo/mini", max_tokens: 4, messages: [{ role: "user", content: "Hi" }] }
  return yield* Effect.forEach(
    Array.from({ length: REQUESTS }),
    () =>
      Effect.gen(function* () {
        const began = performance.now()
        const { headers, status } = yield* call(url, { path: "/v1/chat/completions", key, body })
        assert.strictEqual(status, 200)
        return { id: String(headers["x-request-id"]), ms: performance.now() - began }
      }),
    { concurrency: 8 }
  )
})

describe("a log that is not read", () => {
  it.live("stops no request, and holds a line for each of them when it is read again", () =>
    Effect.gen(function* () {
      const { child, ended, said, url } = yield* started
      const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
      child.stderr.pause()
      const answered = yield* chats(url, String(json.key))
      assert.isBelow(Math.max(...answered.map(({ ms }) => ms)), SLOWEST_MS)
      child.stderr.resume()
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => ended), 0)
      for (const { id } of answered) assert.include(said(), id)
    })
  )

  it.live("does not keep the gateway from ending", () =>
    Effect.gen(function* () {
      const { child, ended, url } = yield* started
      const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
      child.stderr.pause()
      yield* chats(url, String(json.key))
      const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => exited), 0)
      child.stderr.resume()
      yield* Effect.promise(() => ended)
    })
  )
})
