/**
 * Storms on budgets where the model catalogue decides what a request costs: caches for twelve hours, tiers, a price that rises while calls
 * are under way, models that their vendor answers with another one. What the vendor bills is written here by its pages, not read from the
 * catalogue (sources: those of the models there, read 2026-11-27).
 */
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { noLoad, Transport, type UpstreamRequest, type WholeResponse } from "../../src/core/pool/Transport.ts"
import { TestGateway } from "../../src/testing/index.ts"

const INPUT = 1_000
const OUTPUT = 100
const PROMPT = "word ".repeat(INPUT).trim()

interface Storm {
  readonly name: string
  readonly model: string
  readonly fields?: { readonly [name: string]: unknown }
  /** When the calls begin, and when they are answered. */
  readonly at: readonly [begin: string, end: string]
  /** USD per million tokens that the vendor bills. */
  readonly usd: readonly [input: number, output: number]
  readonly reply: object
}

const NOON = ["2026-11-27T12:00:00Z", "2026-11-27T12:00:10Z"] as const
const MIDNIGHT = ["2026-11-30T23:59:50Z", "2026-12-01T00:00:10Z"] as const

const chat = (more: object = {}, details: object = {}) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  choices: [{ index: 0, message: { role: "assistant", content: "one" }, finish_reason: "length" }],
  usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT, ...details },
  ...more
})

const gemini = (modelVersion: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text: "one" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: INPUT, candidatesTokenCount: OUTPUT, totalTokenCount: INPUT + OUTPUT },
  modelVersion
})

const cached = {
  prompt_tokens_details: { cache_write_tokens: INPUT, cache_write_tokens_details: { ttl_12h_tokens: INPUT } }
}
const sol = "openai/gpt-6.2-sol"

export const storms: ReadonlyArray<Storm> = [
  {
    name: "a cache for 12 hours",
    model: sol,
    fields: { prompt_cache_options: { ttl: "12h" } },
    at: NOON,
    usd: [5, 10],
    reply: chat({ model: "gpt-6.2-sol" }, cached)
  },
  {
    name: "the tier fast",
    model: sol,
    fields: { service_tier: "fast" },
    at: NOON,
    usd: [4, 20],
    reply: chat({ model: "gpt-6.2-sol", service_tier: "fast" })
  },
  {
    name: "the tier ultrafast, with a cache for 12 hours",
    model: sol,
    fields: { service_tier: "ultrafast", prompt_cache_options: { ttl: "12h" } },
    at: NOON,
    usd: [15, 30],
    reply: chat({ model: "gpt-6.2-sol", service_tier: "ultrafast" }, cached)
  },
  {
    name: "a price that rises during the calls",
    model: "google-ai-studio/gemini-4-argon",
    at: MIDNIGHT,
    usd: [4, 20],
    reply: gemini("gemini-4-argon")
  },
  {
    name: "a redirected model",
    model: "xai/grok-4-1-fast-non-reasoning",
    at: NOON,
    usd: [1.25, 2.5],
    reply: chat({ model: "grok-4.3" })
  },
  {
    name: "a model that is redirected during the calls",
    model: "google-ai-studio/gemini-2.5-pro",
    at: MIDNIGHT,
    // The more expensive of 2.5 Pro until midnight and 3.8 Flash from then on.
    usd: [1.25, 10],
    reply: gemini("gemini-3.8-flash")
  }
]

/** None of these writes reasoning beyond the output limit, which xAI's pages do not say in general. */
const deploymentOf = (id: string) => {
  const [provider, model] = id.split("/")
  return { provider, model, bounds: { reasoning_tokens: 0 } }
}

export interface PricedOutcome {
  readonly name: string
  readonly admitted: number
  /** Nano-USD. */
  readonly budget: number
  readonly billed: number
  readonly booked: number
  readonly problems: ReadonlyArray<string>
}

/** `requests` at once on a budget that pays for `room` of the vendor's bills, then one after another until one is refused. */
export const pricedStorm = (storm: Storm, requests: number, room: number): Effect.Effect<PricedOutcome> =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const calls = yield* Ref.make(0)
    const answered: WholeResponse = {
      status: 200,
      headers: { "content-type": "application/json" },
      text: JSON.stringify(storm.reply)
    }
    const whole = (_request: UpstreamRequest) =>
      Ref.update(calls, (count) => count + 1).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(answered))
    const transport = Layer.succeed(Transport, {
      whole,
      open: () => Effect.die("nothing is streamed"),
      load: () => noLoad
    })
    const layer = TestGateway.layerOver({ deployments: [deploymentOf(storm.model)] }).pipe(
      Layer.provideMerge(transport),
      Layer.orDie,
      Layer.provideMerge(TestClock.layer())
    )
    return yield* Effect.provide(
      played(storm, requests, room, { calls: Ref.get(calls), release: Deferred.succeed(gate, undefined) }),
      layer
    )
  })

interface Held {
  readonly calls: Effect.Effect<number>
  readonly release: Effect.Effect<boolean>
}

const played = Effect.fnUntraced(function* (storm: Storm, requests: number, room: number, held: Held) {
  const [begin, end] = storm.at
  yield* TestClock.setTime(Date.parse(begin))
  const gateway = yield* TestGateway
  const bill = INPUT * storm.usd[0] * 1_000 + OUTPUT * storm.usd[1] * 1_000
  const budget = bill * room
  const key = yield* Effect.orDie(gateway.createKey({ budgets: [{ limit: budget, window: "total", timeZone: "UTC" }] }))
  const body = {
    model: storm.model,
    max_tokens: OUTPUT,
    messages: [{ role: "user", content: PROMPT }],
    ...storm.fields
  }
  const all = yield* Effect.forEach(Array.from({ length: requests }), () => gateway.request(key, body), {
    concurrency: "unbounded"
  }).pipe(Effect.forkChild)
  yield* Effect.yieldNow.pipe(Effect.repeat({ times: 3_000 }))
  const atOnce = yield* held.calls
  yield* TestClock.setTime(Date.parse(end))
  yield* held.release
  const statuses = (yield* Fiber.join(all)).map(({ status }) => status)
  const inStorm = (yield* held.calls) * bill
  let last = 200
  while (last === 200) last = (yield* gateway.request(key, body)).status
  const admitted = yield* held.calls
  const booked = Math.round((yield* Effect.orDie(gateway.spent)) * 1e9)
  const problems = [
    ...(atOnce < 1 || atOnce >= requests ? [`${atOnce} of ${requests} were admitted at once`] : []),
    ...(inStorm > budget ? [`the vendor billed ${inStorm} for the storm, the budget has ${budget}`] : []),
    ...(booked > budget ? [`${booked} were booked, the budget has ${budget}`] : []),
    ...statuses.filter((status) => status !== 200 && status !== 429).map((status) => `a request ended with ${status}`),
    ...(last === 429 ? [] : [`the first refusal was ${last}`])
  ].map((problem) => `${storm.name}: ${problem}`)
  return { name: storm.name, admitted, budget, billed: admitted * bill, booked, problems } satisfies PricedOutcome
})
