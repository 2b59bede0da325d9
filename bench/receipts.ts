/**
 * What receipts cost: the CPU of a request through the gatewayCore and a store on disk, without HTTP and network, with receipts kept and
 * not kept. Both run in one process, in short turns one after the other, so that a busy machine favours neither.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Context, Effect, Layer, Result } from "effect"
import { parseSettings } from "../packages/gateway/src/config/ParseSettings.ts"
import { chat } from "../packages/gateway/src/core/operations/chat/Chat.ts"
import { Gateway } from "../packages/gateway/src/core/call/Gateway.ts"
import { KeyStore } from "../packages/gateway/src/core/keys/KeyStore.ts"
import { parseChat } from "../packages/gateway/src/core/operations/chat/ParseChat.ts"
import { noLoad, Transport } from "../packages/gateway/src/core/pool/Transport.ts"
import { newRequestId } from "../packages/gateway/src/http/shared/RequestId.ts"
import { knownVendors } from "../packages/gateway/src/providers/vendors/Vendors.ts"
import { fleet, gatewayCore } from "../packages/gateway/src/GatewayCore.ts"
import * as SqliteStore from "../packages/gateway/src/storage/sqlite/file/SqliteStore.ts"
import { othersOptions } from "./Options.ts"

const { rounds, requests, at } = parseArgs({
  options: {
    ...othersOptions,
    rounds: { type: "string", default: "40" },
    requests: { type: "string", default: "2000" },
    at: { type: "string", default: "32" }
  }
}).values

const yaml = `
master_key: pQ7vXw2LkT9sZr4NcB8hJd5GfY3mAe6UpQ7vXw2LkT9s
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: none } }
deployments: [{ provider: up, model: gpt-4.1, price: { input: 2, output: 8 } }]
`

const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4.1",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello there" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
})

/** Answers at once. */
const transport = Layer.succeed(Transport, {
  whole: () => Effect.succeed({ status: 200, headers: {}, text: answer }),
  open: () => Effect.die("no streams here"),
  load: () => noLoad
})

/** One gateway: `turn` makes so many requests, some at a time, and says what CPU one took, µs. */
const variant = Effect.fnUntraced(function* (folder: string, name: string, keepReceiptsMs: number) {
  const settings = yield* Effect.fromResult(
    parseSettings(yaml, {
      file: "bench.yaml",
      vendors: knownVendors,
      environment: {},
      readFile: () => Result.fail("no files")
    })
  )
  const store = SqliteStore.layer({ filename: join(folder, `${name}.db`), keepReceiptsMs })
  const context = yield* Layer.build(
    gatewayCore.pipe(Layer.provideMerge(Layer.mergeAll(fleet(settings), transport, store)))
  )
  const gateway = Context.get(context, Gateway)
  const keys = Context.get(context, KeyStore)
  const { secret } = yield* keys.create({
    name: "bench",
    limits: { rpm: 100_000_000, tpm: undefined, maxParallel: undefined },
    budgets: [{ limit: 9e15, window: "month", timeZone: "UTC" }]
  })
  const caller = yield* keys.authenticate(secret)
  const body = { model: "up/gpt-4.1", messages: [{ role: "user", content: "Say hello" }], max_tokens: 100 }
  const request = yield* Effect.fromResult(parseChat(body, 90))
  const ask = Effect.suspend(() =>
    Effect.scoped(
      gateway.call(chat, {
        requestId: newRequestId(Date.now()),
        endpoint: "/v1/chat/completions",
        caller,
        request,
        noFallback: false,
        strict: false,
        streamRecovery: undefined,
        tags: []
      })
    )
  )
  const turn = Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* Effect.forEach(Array.from({ length: Number(requests) }), () => ask, {
      concurrency: Number(at),
      discard: true
    })
    const { system, user } = process.cpuUsage(before)
    return (user + system) / Number(requests)
  })
  return { turn }
})

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const main = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-receipts-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const off = yield* variant(folder, "off", 0)
  const kept = yield* variant(folder, "kept", 30 * 24 * 3_600_000)
  const [without, withThem] = [[] as Array<number>, [] as Array<number>]
  for (let round = -5; round < Number(rounds); round++) {
    const turns = round % 2 === 0 ? [off, kept] : [kept, off]
    const [a, b] = [yield* turns[0]!.turn, yield* turns[1]!.turn]
    // The first turns warm up.
    if (round < 0) continue
    without.push(round % 2 === 0 ? a : b)
    withThem.push(round % 2 === 0 ? b : a)
  }
  const differences = withThem.map((cost, index) => cost - without[index]!)
  const row = {
    off: median(without),
    kept: median(withThem),
    storing: median(differences),
    leastOff: Math.min(...without),
    leastKept: Math.min(...withThem)
  }
  const shown = Object.fromEntries(Object.entries(row).map(([name, us]) => [name, Math.round(us * 10) / 10]))
  console.log(
    `CPU per request, µs: ${JSON.stringify({ bench: "receipts", rounds: Number(rounds), requests: Number(requests), at: Number(at), ...shown })}`
  )
})

await Effect.runPromise(Effect.scoped(main))
