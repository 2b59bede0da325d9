/** A gateway before one model of a vendor, for conversations that another model began. */
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"

/** `provider`: fields of its section. `more`: fields of the deployment. */
export const moving = Effect.fnUntraced(function* (
  provider: string,
  model: string,
  script: (asked: Asked, number: number) => Reply,
  more = ""
) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers: { it: { ${provider}, base_url: "${baseUrl}", api_key: k } }
deployments: [{ provider: it, model: ${model}, price: { input: 1, output: 2 }, context_window: 1000000${more} }]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const post = (path: string, fields: object) =>
    call(gateway.url, { path, key: secret, body: { model: `it/${model}`, ...fields } })
  return {
    asked,
    /** A body as text. */
    raw: (path: string, body: string) => call(gateway.url, { path, key: secret, body }),
    chat: (fields: object) => post("/v1/chat/completions", fields),
    messages: (fields: object) => post("/v1/messages", { max_tokens: 64_000, ...fields }),
    responses: (fields: object) => post("/v1/responses", fields)
  }
})

export const hi = { role: "user", content: "Go" }

/** An answer of Anthropic's. */
export const message = (content: ReadonlyArray<object> = [{ type: "text", text: "ok" }]) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 1 }
})

/** An answer of Gemini's. */
export const candidate = (...parts: ReadonlyArray<object>) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 4, totalTokenCount: 9 }
})

/** An answer of OpenAI's Responses. */
export const response = (...output: ReadonlyArray<object>) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output,
  usage: { input_tokens: 4, output_tokens: 3, total_tokens: 7 }
})
