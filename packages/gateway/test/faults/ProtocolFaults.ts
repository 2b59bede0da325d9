/** What providers can do wrong in the words of other APIs than OpenAI's and Google's: Anthropic, Bedrock, Cohere, Mistral, Ollama. */
import type { Fault, Outcome } from "./Faults.ts"
import { eventMessage, exceptionMessage } from "../support/EventStreamMessages.ts"
import { completion, completionEvents } from "../support/Upstream.ts"

const unavailable = { status: 502, code: "upstream_unavailable" }
const outage: Outcome = { reaches: "head", told: unavailable, again: 1, billed: false }
const busy: Outcome = { ...outage, told: { status: 503, code: "upstream_unavailable" } }
const limited: Outcome = { ...outage, told: { status: 429, code: "upstream_rate_limited" }, again: 0 }
const refused: Outcome = { ...outage, told: { status: 502, code: "upstream_auth" }, again: 0 }
const broken: Outcome = { reaches: "head", told: unavailable, again: 0, billed: true }
const cut: Outcome = { reaches: "content", told: unavailable, again: 0, billed: true }
// An error that comes with 200, in words that nobody knows, may have been billed.
const both = (outcome: Outcome) => ({ plain: outcome, streamed: outcome })

type Play = NonNullable<Fault["play"]>

const refuses =
  (status: number, body: object, headers: object = {}): Play =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** `plain`: a body; `streamed`: pieces, after which the stream ends as streams should. */
const plays =
  (mediaType: string) =>
  (plain: object | string, ...streamed: ReadonlyArray<string | Uint8Array>): Play =>
  (response, stream) => {
    response.writeHead(200, { "content-type": stream ? mediaType : "application/json" })
    if (!stream) return void response.end(typeof plain === "string" ? plain : JSON.stringify(plain))
    for (const piece of streamed) response.write(piece)
    response.end()
  }

const half = (body: object): string => JSON.stringify(body).slice(0, 40)
const asSse = plays("text/event-stream")
const typed = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`

const messageStart = typed({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 12 } }
})
const claudeSays = (text: string) =>
  typed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })
const claudeOpens = typed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })
const anthropicError = (type: string) => ({ type: "error", error: { type, message: "scripted" } })
const overloaded = anthropicError("overloaded_error")

const anthropic: ReadonlyArray<Fault> = [
  { name: "Anthropic: 529 overloaded", play: refuses(529, overloaded), ...both(busy) },
  {
    name: "Anthropic: 429",
    play: refuses(429, anthropicError("rate_limit_error"), { "retry-after": "20" }),
    ...both(limited)
  },
  { name: "Anthropic: error event first", play: asSse(overloaded, messageStart, typed(overloaded)), ...both(busy) },
  {
    name: "Anthropic: error event",
    play: asSse(overloaded, messageStart, claudeOpens, claudeSays("one "), typed(overloaded)),
    plain: busy,
    streamed: { ...cut, told: busy.told, again: 1 }
  },
  {
    name: "Anthropic: no message_stop",
    play: asSse(half(overloaded), messageStart, claudeOpens, claudeSays("one ")),
    plain: broken,
    streamed: cut
  }
]

const bedrockSays = (text: string) => eventMessage("contentBlockDelta", { contentBlockIndex: 0, delta: { text } })
const bedrockBegins = eventMessage("messageStart", { role: "assistant" })
const asBedrock = plays("application/vnd.amazon.eventstream")
const awsError = (status: number, type: string): Play =>
  refuses(status, { message: "scripted" }, { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` })
const exception = (type: string) => exceptionMessage(type, "scripted")
const damaged = (message: Buffer): Buffer => {
  const copy = Buffer.from(message)
  copy[copy.length - 8]! ^= 1
  return copy
}
const converse = { output: { message: { role: "assistant", content: [{ text: "one two three" }] } } }
const nothingIn = { message: "scripted" }

const bedrock: ReadonlyArray<Fault> = [
  { name: "Bedrock: ThrottlingException", play: awsError(429, "ThrottlingException"), ...both(limited) },
  { name: "Bedrock: ServiceUnavailableException", play: awsError(503, "ServiceUnavailableException"), ...both(busy) },
  {
    name: "Bedrock: throttled before the first token",
    play: (response, stream, number) =>
      stream
        ? asBedrock("", bedrockBegins, exception("throttlingException"))(response, stream, number)
        : awsError(429, "ThrottlingException")(response, stream, number),
    ...both(limited)
  },
  {
    name: "Bedrock: exception event",
    play: (response, stream, number) =>
      stream
        ? asBedrock(
            "",
            bedrockBegins,
            bedrockSays("one "),
            exception("modelStreamErrorException")
          )(response, stream, number)
        : awsError(424, "ModelErrorException")(response, stream, number),
    plain: outage,
    streamed: { ...cut, again: 1 }
  },
  {
    name: "Bedrock: a wrong checksum",
    play: asBedrock(half(converse), bedrockBegins, bedrockSays("one "), damaged(bedrockSays("two "))),
    plain: broken,
    streamed: cut
  },
  {
    name: "Bedrock: no messageStop",
    play: asBedrock(half(converse), bedrockBegins, bedrockSays("one ")),
    plain: broken,
    streamed: cut
  },
  { name: "Bedrock: nothing said", play: asBedrock(nothingIn, bedrockBegins), ...both(broken) }
]

const cohereSays = (text: string) =>
  data({ type: "content-delta", index: 0, delta: { message: { content: { text } } } })
const cohereBegins = data({ type: "message-start", id: "c1", delta: { message: { role: "assistant" } } })
const cohereEnds = (finish_reason: string) =>
  data({
    type: "message-end",
    delta: { finish_reason, usage: { billed_units: { input_tokens: 12, output_tokens: 4 } } }
  })
const cohereSaid = (finish_reason: string) => ({
  id: "c1",
  finish_reason,
  message: { role: "assistant", content: [{ type: "text", text: "one two three" }] },
  usage: { billed_units: { input_tokens: 12, output_tokens: 4 } }
})

const cohere: ReadonlyArray<Fault> = [
  {
    name: "Cohere: 429",
    play: refuses(429, { id: "e1", message: "You are past the per minute request limit" }),
    ...both(limited)
  },
  { name: "Cohere: 401", play: refuses(401, { message: "invalid api token" }), ...both(refused) },
  { name: "Cohere: 503", play: refuses(503, { message: "scripted" }), ...both(busy) },
  {
    name: "Cohere: ended by an error",
    play: asSse(cohereSaid("ERROR"), cohereBegins, cohereSays("one "), cohereEnds("ERROR")),
    plain: { ...broken, billed: "exact" },
    streamed: { ...cut, billed: "exact" }
  },
  {
    name: "Cohere: no message-end",
    play: asSse(half(cohereSaid("COMPLETE")), cohereBegins, cohereSays("one ")),
    plain: broken,
    streamed: cut
  }
]

const mistralError = (code: string, message = "scripted") => ({ object: "error", message, type: "service_error", code })
const [role, one] = completionEvents("one ", "two ", "three") as [string, string]
const whole = completion("one two three")

const mistral: ReadonlyArray<Fault> = [
  {
    name: "Mistral: 429",
    play: refuses(429, {
      object: "error",
      message: "Service tier capacity exceeded",
      type: "service_tier_capacity_exceeded",
      code: "3505"
    }),
    ...both(limited)
  },
  { name: "Mistral: 401", play: refuses(401, { detail: "Unauthorized" }), ...both(refused) },
  { name: "Mistral: 503", play: refuses(503, mistralError("3700")), ...both(busy) },
  {
    name: "Mistral: error event",
    play: asSse(mistralError("3700"), role, one, data(mistralError("3700"))),
    plain: outage,
    streamed: { ...cut, again: 1 }
  },
  { name: "Mistral: no finish", play: asSse(half(whole), role, one), plain: broken, streamed: cut }
]

const asLines = plays("application/x-ndjson")
const line = (event: object) => `${JSON.stringify(event)}\n`
const ollamaSays = (content: string) => line({ model: "m", message: { role: "assistant", content }, done: false })
const ollamaSaid = {
  model: "m",
  message: { role: "assistant", content: "one two three" },
  done: true,
  done_reason: "stop"
}
const crashed = { error: "an error was encountered while running the model: llama runner process no longer running" }

const ollama: ReadonlyArray<Fault> = [
  { name: "Ollama: 500, the runner died", play: refuses(500, crashed), ...both(outage) },
  { name: "Ollama: 503, busy", play: refuses(503, { error: "server busy, please try again" }), ...both(busy) },
  { name: "Ollama: error line first", play: asLines(crashed, line(crashed)), ...both(outage) },
  {
    name: "Ollama: error line",
    play: asLines(crashed, ollamaSays("one "), line(crashed)),
    plain: outage,
    streamed: { ...cut, again: 1 }
  },
  { name: "Ollama: no done", play: asLines(half(ollamaSaid), ollamaSays("one ")), plain: broken, streamed: cut }
]

const spoken =
  (protocol: NonNullable<Fault["protocol"]>) =>
  (fault: Fault): Fault => ({ ...fault, protocol })

export const protocolFaults: ReadonlyArray<Fault> = [
  ...anthropic.map(spoken("anthropic-messages")),
  ...bedrock.map(spoken("bedrock")),
  ...cohere.map(spoken("cohere-v2")),
  ...mistral.map(spoken("mistral-chat")),
  ...ollama.map(spoken("ollama-chat"))
]
