/** A gateway for the vendor's own client of the Messages API, and answers of Anthropic's to script. */
import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"

export const claude = (url: string, secret: string, options: ClientOptions = {}): Anthropic =>
  new Anthropic({ baseURL: url, apiKey: secret, maxRetries: 0, ...options })

/** A gateway with one deployment, `up/m`, of that protocol, which says what `script` says. */
export const before = Effect.fnUntraced(function* (
  protocol: "anthropic-messages" | "openai-chat",
  script: (asked: Asked, number: number) => Reply
) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: ${protocol}, base_url: "${baseUrl}", api_key: "operators-own" } }
deployments: [{ provider: up, model: m, price: { input: 1, cached_input: 0.1, cache_write: 1.25, output: 5 }, bounds: { reasoning_tokens: 0 } }]
models: { claude-sonnet-5: [up/m] }
failover: { base_delay: 1ms }
`
  })
  const { id, secret } = yield* gateway.createKey()
  return { ...gateway, asked, id, secret, client: claude(gateway.url, secret) }
})

/** A message in the vendor's shape. */
export const message = (content: ReadonlyArray<object>, fields: object = {}) => ({
  id: "msg_01Upstream",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 1000, output_tokens: 10 },
  ...fields
})

/** One event of the vendor's. */
export const named = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** The events of a streamed message with one block of text, one a piece. */
export const textEvents = (...words: ReadonlyArray<string>): ReadonlyArray<string> => [
  named({ type: "message_start", message: message([], { stop_reason: null }) }),
  named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  named({ type: "ping" }),
  ...words.map((text) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  named({ type: "content_block_stop", index: 0 }),
  named({
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 10 }
  }),
  named({ type: "message_stop" })
]

/** An error in the vendor's shape. */
export const claudeError = (type: string, text: string) => ({
  type: "error",
  error: { type, message: text },
  request_id: "req_upstream"
})
