/** A gateway over one scripted vendor, whose keys have a budget, and what its ledger held for a request. */
import { Effect } from "effect"
import { type Fetch, NotFetched, PublicFetch } from "../../../src/providers/transport/PublicFetch.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, completion, completionEvents, type Reply, upstream } from "../../support/Upstream.ts"

const DOLLAR = 1_000_000_000

const day = (limit: number) => ({ limit, window: "day" as const, timeZone: "UTC" })

interface World {
  /** Lines of `deployments`; `up` speaks OpenAI's protocol, `openai` and `anthropic` are the vendors. */
  readonly deployments: ReadonlyArray<string>
  readonly models?: string
  readonly script?: (asked: Asked, number: number) => Reply
  readonly fetch?: Fetch
  /** More of `failover`. */
  readonly failover?: string
}

const noFetch: Fetch = () => Effect.fail(new NotFetched({ message: "is at no public address" }))

const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" }

export const answer = ({ body, path }: Asked): Reply => ({
  body: path.endsWith("/messages")
    ? { ...message, content: [{ type: "text", text: "one" }], usage: { input_tokens: 12, output_tokens: 4 } }
    : body.stream === true
      ? completionEvents("one")
      : completion("one")
})

export const world = Effect.fnUntraced(function* ({
  deployments,
  failover = "",
  fetch = noFetch,
  models = "",
  script = answer
}: World) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
  openai: { base_url: "${baseUrl}", api_key: sk-operators-own }
  openrouter: { base_url: "${baseUrl}", api_key: sk-or-operators-own }
  anthropic: { base_url: "${baseUrl}", api_key: sk-ant-operators-own }
deployments:
${deployments.map((line) => `  - ${line}`).join("\n")}
${models}
failover: { base_delay: 1ms${failover} }
`
  }).pipe(Effect.provideService(PublicFetch, fetch))
  /** With a budget of so many USD; undefined: without one. */
  const key = (usd: number | undefined) =>
    Effect.map(
      gateway.createKey({ budgets: usd === undefined ? [] : [day(usd * DOLLAR)] }),
      ({ secret }) =>
        (body: object) =>
          call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { messages: say("Hi"), ...body } })
    )
  /** What the last attempt held, in USD. */
  const held = Effect.map(gateway.ledger, (rows) => rows.at(-1)!.reserved / DOLLAR)
  return { ...gateway, asked, held, key }
})

export const say = (content: unknown) => [{ role: "user", content }]
export const image = (url: string, detail?: string) => ({
  type: "image_url",
  image_url: { url, ...(detail === undefined ? {} : { detail }) }
})
export const video = { type: "video_url", video_url: { url: "https://example.com/film.mp4" } }

/** 1 USD per million tokens read, 2 written, 0.01 for a search. */
export const priced = "price: { input: 1, output: 2, audio_input: 1, web_search: 10, code_execution: 0 }"
export const counted = "bounds: { reasoning_tokens: 0 }"
