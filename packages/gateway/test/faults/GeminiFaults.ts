/** What Google's API can do wrong in its own words. */
import type { ServerResponse } from "node:http"
import type { Fault, Outcome } from "./Faults.ts"

const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 4, totalTokenCount: 16 }
const generated = (text: string | undefined, finishReason?: string) => ({
  candidates: [
    {
      content: { role: "model", parts: text === undefined ? [] : [{ text }] },
      index: 0,
      ...(finishReason === undefined ? {} : { finishReason })
    }
  ],
  usageMetadata,
  responseId: "r1"
})
const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata }
const overloaded = { error: { code: 503, message: "scripted", status: "UNAVAILABLE" } }
const refusal = (code: number, status: string, detail: object) => ({
  error: { code, message: "scripted", status, details: [detail] }
})

const [one, two] = [generated("one "), generated("two ")]
const whole = JSON.stringify(generated("one two three", "STOP"))

/** `plain`: a body; `streamed`: events, after which the stream ends as streams should. */
const plays =
  (plain: unknown, ...streamed: ReadonlyArray<object>): NonNullable<Fault["play"]> =>
  (response, stream) => {
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" })
    if (!stream) return void response.end(typeof plain === "string" ? plain : JSON.stringify(plain))
    for (const event of streamed) response.write(`data: ${JSON.stringify(event)}\r\n\r\n`)
    response.end()
  }

const refuses =
  (status: number, body: object): NonNullable<Fault["play"]> =>
  (response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const both = (outcome: Outcome) => ({ plain: outcome, streamed: outcome })
const unavailable = { status: 502, code: "upstream_unavailable" }
const outage: Outcome = { reaches: "head", told: unavailable, again: 1, billed: false }
const busy: Outcome = { ...outage, told: { status: 503, code: "upstream_unavailable" } }
const broken: Outcome = { reaches: "head", told: unavailable, again: 0, billed: true }
const cut: Outcome = { reaches: "content", told: unavailable, again: 0, billed: true }

const WAIT = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }
const BAD_KEY = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }

const inGemini = (fault: Omit<Fault, "protocol">): Fault => ({ ...fault, protocol: "gemini" })

export const geminiFaults: ReadonlyArray<Fault> = [
  { name: "Gemini: 503 UNAVAILABLE", play: refuses(503, overloaded), ...both(busy) },
  {
    name: "Gemini: 429, the wait in the body",
    play: refuses(429, refusal(429, "RESOURCE_EXHAUSTED", WAIT)),
    ...both({ ...outage, told: { status: 429, code: "upstream_rate_limited" }, again: 0 })
  },
  {
    name: "Gemini: a refused key, as 400",
    play: refuses(400, refusal(400, "INVALID_ARGUMENT", BAD_KEY)),
    ...both({ ...outage, told: { status: 502, code: "upstream_auth" }, again: 0 })
  },
  { name: "Gemini: error event first", play: plays(overloaded, overloaded), ...both(busy) },
  {
    name: "Gemini: error event",
    play: plays(overloaded, one, two, overloaded),
    plain: busy,
    streamed: { ...cut, told: busy.told, again: 1 }
  },
  {
    name: "Gemini: a malformed function call",
    play: plays(generated(undefined, "MALFORMED_FUNCTION_CALL"), generated(undefined, "MALFORMED_FUNCTION_CALL")),
    ...both({ ...broken, billed: "exact" })
  },
  {
    name: "Gemini: a blocked prompt",
    play: plays(blocked, blocked),
    ...both({ reaches: "head", told: { status: 400, code: "content_filter" }, again: 0, billed: "exact", stays: true })
  },
  { name: "Gemini: nothing said", play: plays({}, {}), ...both(broken) },
  { name: "Gemini: no finish", play: plays(whole.slice(0, 40), one, two), plain: broken, streamed: cut }
].map(inGemini)
