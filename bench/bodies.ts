/**
 * How long one large body keeps everybody else waiting: bodies of ten megabytes, one after another and eight at once, to a gateway
 * in a process of its own, and how long its event loop was held meanwhile, by a probe in that process.
 *
 *   npm run bench:bodies
 *
 * Prints for each kind the longest hold and the time of an answer, ms; last line: one JSON object.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../packages/gateway/test/support/GatewayProcess.ts"

const MB = 2 ** 20
const ROUNDS = 5
const masterKey = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
const probe = join(import.meta.dirname, "../packages/gateway/test/acceptance/fuzz/LoopProbe.ts")

const filled = (unit: string) =>
  unit.repeat(Math.floor((10 * MB - 4_096) / (Buffer.byteLength(JSON.stringify(unit)) - 2)))
const asking = (content: unknown, more: object = {}) =>
  JSON.stringify({ model: "up/m", max_tokens: 10, messages: [{ role: "user", content }], ...more })

const kinds: Readonly<Record<string, string>> = {
  prose: asking(filled("All happy families are alike; each unhappy one is so in its own way. ")),
  code: asking(filled('if (a === "b") {\n\treturn "c"\n}\n')),
  chinese: asking(filled("汉字")),
  image: asking([{ type: "image_url", image_url: { url: `data:image/png;base64,${filled("iVBORw0KGgo")}` } }]),
  messages: JSON.stringify({
    model: "up/m",
    max_tokens: 10,
    messages: Array.from({ length: 60_000 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: "It was the best of times, it was the worst of times. ".repeat(2)
    }))
  }),
  numbers: asking("Hi", { x: Array.from({ length: 190_000 }, (_, at) => Number(`0.${at}123456789012`)) }),
  names: asking("Hi", {
    x: Array.from({ length: 19 }, () =>
      Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`a_name_of_its_own_${at}`, at]))
    )
  }),
  blanks: asking("Hi", { x: [] }).replace("[]", `[${" ".repeat(10 * MB - 4_096)}]`)
}

const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes" }, finish_reason: "stop", logprobs: null }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
})

/** The longest hold that was told of in `log`. Shorter ones than 20 ms are not told. */
const longest = (log: string): number =>
  Math.max(0, ...[...log.matchAll(/^loop-held (\d+) ms/gm)].map(([, ms]) => Number(ms)))

const run = Effect.gen(function* () {
  const upstream = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end(answer))
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve)))
  yield* Effect.addFinalizer(() => Effect.sync(() => upstream.close().closeAllConnections()))
  const folder = mkdtempSync(join(tmpdir(), "bench-bodies-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
  const config = join(folder, "gateway.yaml")
  const { port } = upstream.address() as AddressInfo
  writeFileSync(
    config,
    `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${join(folder, "gateway.db")}" }
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/v1", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, context_window: 100000000 }]
`
  )
  const gateway = yield* gatewayProcess(["serve", "--config", config], listening, {
    nodeOptions: ["--import", probe],
    environment: { LOOP_PROBE_FROM_MS: "20" }
  })
  const post = (path: string, key: string, body: string) =>
    Effect.promise(async () => {
      const began = performance.now()
      const response = await fetch(gateway.ready + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body
      })
      const text = await response.text()
      if (response.status >= 300) throw new Error(`${response.status}: ${text.slice(0, 300)}`)
      return { json: JSON.parse(text) as { readonly key: string }, ms: performance.now() - began }
    })
  const { json } = yield* post("/admin/keys", masterKey, JSON.stringify({ budget_usd: 1_000_000 }))
  yield* post("/v1/chat/completions", json.key, asking("Hi"))
  // The tokenizer is loaded, and what starting left behind is collected, after a second.
  yield* Effect.sleep("4 seconds")
  const figures: Record<string, { readonly alone: number; readonly eight: number; readonly answer: number }> = {}
  for (const [kind, body] of Object.entries(kinds)) {
    const during = Effect.fnUntraced(function* <A>(work: Effect.Effect<A>) {
      const before = gateway.stderr().length
      const result = yield* work
      yield* Effect.sleep("100 millis")
      return { result, held: longest(gateway.stderr().slice(before)) }
    })
    const one = post("/v1/chat/completions", json.key, body)
    const alone = yield* during(Effect.forEach(Array.from({ length: ROUNDS }), () => one))
    const eight = yield* during(Effect.forEach(Array.from({ length: 8 }), () => one, { concurrency: 8 }))
    const times = alone.result.map(({ ms }) => ms).sort((a, b) => a - b)
    const figure = { alone: alone.held, eight: eight.held, answer: Math.round(times[Math.floor(ROUNDS / 2)]!) }
    figures[kind] = figure
    console.log(
      `${kind.padEnd(9)} ${(Buffer.byteLength(body) / MB).toFixed(1).padStart(5)} MB  held at most ${String(figure.alone).padStart(4)} ms alone, ` +
        `${String(figure.eight).padStart(4)} ms of eight; answered in ${figure.answer} ms`
    )
  }
  yield* gateway.end("SIGTERM")
  console.log(JSON.stringify({ bench: "bodies", figures }))
})

await Effect.runPromise(Effect.scoped(run))
