/**
 * Everything a provider can do wrong, as a server does it, and what is to come of it. The upstream's process plays them; the run
 * compares what a client saw.
 */
import type { ServerResponse } from "node:http"
import type { BuiltInProtocol } from "../../src/core/domain/Deployment.ts"
import { geminiFaults } from "./GeminiFaults.ts"
import { protocolFaults } from "./ProtocolFaults.ts"
import { completion, completionEvents, event, vendorError } from "../support/Upstream.ts"

export const words = ["one ", "two ", "three"]
const whole = JSON.stringify(completion(words.join("")))
const half = whole.slice(0, whole.length / 2)
const events = completionEvents(...words)
/** The event with the role, the first content, the second. */
const [role, one, two] = events as [string, string, string]
const malformed = (text: string) => text.replace('"finish_reason":"stop"', '"finish_reason":"MALFORMED_FUNCTION_CALL"')
const nonsense = "data: {nonsense\n\n"

export type Mode = "plain" | "cut" | "buffer"

/** What a client is told when no other deployment serves the model. */
export interface Told {
  readonly status: number
  readonly code: string
}

/** What is to come of one rendition of a fault, plain or streamed. */
export interface Outcome {
  /** `whole`: the answer comes all the same. `head`: no content came before the fault. `content`: some had come. */
  readonly reaches: "whole" | "head" | "content"
  readonly told: Told
  /** How often the same deployment is asked again where there is no other. */
  readonly again: number
  /** The provider has read and written: what it made is booked as an estimate, or as it told. */
  readonly billed: boolean | "exact"
  /** Asked once more it answers. */
  readonly passes?: boolean
  /** No other deployment is asked: it is the request's fault. */
  readonly stays?: boolean
}

export interface Fault {
  readonly name: string
  /** Left out: OpenAI's. */
  readonly protocol?: Exclude<BuiltInProtocol, "openai-chat">
  /** In place of an upstream: an address where nobody listens. */
  readonly refused?: boolean
  /** `number` counts the requests of a case, from 0. */
  readonly play?: (response: ServerResponse, stream: boolean, number: number) => void
  readonly plain: Outcome
  readonly streamed: Outcome
  /** Belongs to the dozen that stand for all. */
  readonly short?: boolean
}

const unavailable = (status = 502): Told => ({ status, code: "upstream_unavailable" })
const timeout: Told = { status: 504, code: "upstream_timeout" }

const outage = (status = 502): Outcome => ({ reaches: "head", told: unavailable(status), again: 1, billed: false })
const broken: Outcome = { reaches: "head", told: unavailable(), again: 0, billed: true }
const cut: Outcome = { reaches: "content", told: unavailable(), again: 0, billed: true }
const silent: Outcome = { reaches: "head", told: timeout, again: 0, billed: true }
const fine: Outcome = { reaches: "whole", told: unavailable(), again: 0, billed: false }
const both = (outcome: Outcome) => ({ plain: outcome, streamed: outcome })

const json = { "content-type": "application/json" }
const sse = { "content-type": "text/event-stream" }

export const refuse = (
  response: ServerResponse,
  status: number,
  headers: object,
  type: string,
  code: string | null = null
) => {
  response.writeHead(status, { ...json, ...headers })
  response.end(JSON.stringify(vendorError("scripted", type, code)))
}

/** Sends the head and the pieces; what comes after them is the fault's own. */
export const begin = (response: ServerResponse, stream: boolean, ...pieces: ReadonlyArray<string>) => {
  response.writeHead(200, stream ? sse : json)
  response.flushHeaders()
  for (const piece of pieces) response.write(piece)
}

/** Once what was written has left: the other side would never see it otherwise. */
export const reset = (response: ServerResponse) => {
  response.write("", () => setTimeout(() => response.socket?.resetAndDestroy(), 20))
}

const whileOpen = (response: ServerResponse, everyMs: number, step: () => void) => {
  const timer = setInterval(() => (response.destroyed || response.writableNeedDrain ? undefined : step()), everyMs)
  response.once("close", () => clearInterval(timer))
}

/** What the fault says so far, plain or streamed, and then its ending. */
const after = (plain: string, streamed: ReadonlyArray<string>, ending: (response: ServerResponse) => void) =>
  ((response, stream) => {
    begin(response, stream, ...(stream ? streamed : [plain]))
    ending(response)
  }) satisfies Fault["play"]

const nothing = () => {}
const end = (response: ServerResponse) => void response.end()

const openAiFaults: ReadonlyArray<Fault> = [
  { name: "500", play: (response) => refuse(response, 500, {}, "server_error"), ...both(outage()), short: true },
  {
    name: "503, Retry-After",
    play: (response) => refuse(response, 503, { "retry-after": "2" }, "server_error"),
    ...both(outage(503))
  },
  {
    name: "429",
    play: (response) => refuse(response, 429, {}, "requests", "rate_limit_exceeded"),
    ...both({ ...outage(), told: { status: 429, code: "upstream_rate_limited" }, again: 0 }),
    short: true
  },
  {
    name: "429, Retry-After",
    play: (response, stream, number) => {
      if (number === 0) return refuse(response, 429, { "retry-after": "1" }, "requests", "rate_limit_exceeded")
      begin(response, stream, ...(stream ? events : [whole]))
      response.end()
    },
    ...both({ ...outage(), passes: true })
  },
  {
    name: "429, no quota",
    play: (response) => refuse(response, 429, {}, "insufficient_quota", "insufficient_quota"),
    ...both({ ...outage(), told: { status: 503, code: "upstream_quota" }, again: 0 })
  },
  {
    name: "401",
    play: (response) => refuse(response, 401, {}, "invalid_request_error", "invalid_api_key"),
    ...both({ ...outage(), told: { status: 502, code: "upstream_auth" }, again: 0 }),
    short: true
  },
  { name: "refused", refused: true, ...both(outage()) },
  { name: "reset before headers", play: (response) => void response.socket?.resetAndDestroy(), ...both(outage()) },
  { name: "reset after headers", play: after("", [], reset), ...both(broken), short: true },
  { name: "silence before headers", play: nothing, ...both(silent), short: true },
  {
    name: "silence before the first token",
    play: after("", [role], nothing),
    ...both(silent)
  },
  {
    name: "silence in mid-stream",
    play: after(half, [role, one, two], nothing),
    plain: silent,
    streamed: { ...cut, told: timeout },
    short: true
  },
  { name: "cut before the first token", play: after("{", [role], reset), ...both(broken) },
  { name: "cut after it", play: after(half, [role, one, two], reset), plain: broken, streamed: cut, short: true },
  { name: "clean end, nothing said", play: after("{", [role], end), ...both(broken) },
  { name: "clean end, no finish", play: after(half, [role, one, two], end), plain: broken, streamed: cut, short: true },
  { name: "clean end, no [DONE]", play: after(whole, events.slice(0, -1), end), ...both(fine) },
  {
    name: "no usage",
    play: after(whole.replace(/"usage":\{[^}]*\}/, '"usage":null'), [...events.slice(0, -2), events.at(-1)!], end),
    ...both({ ...fine, billed: true })
  },
  {
    name: "a malformed event",
    play: after(whole, [role, one, nonsense, ...events.slice(2)], end),
    ...both(fine),
    short: true
  },
  {
    name: "malformed events",
    play: after(`${half}${whole}`, [role, one, nonsense.repeat(9), ...events.slice(2)], end),
    plain: broken,
    streamed: cut
  },
  {
    name: "error event first",
    play: after(
      JSON.stringify(vendorError("scripted", "server_error")),
      [role, event(vendorError("scripted", "server_error"))],
      end
    ),
    ...both({ ...outage() })
  },
  {
    name: "error event",
    play: after(
      JSON.stringify(vendorError("scripted", "server_error")),
      [role, one, event(vendorError("scripted", "server_error"))],
      end
    ),
    plain: outage(),
    // Held back, it is an outage like any other: once more is worth it.
    streamed: { ...cut, again: 1 },
    short: true
  },
  {
    name: "JSON for a stream",
    play: (response) => void response.writeHead(200, json).end(whole),
    ...both(fine),
    short: true
  },
  {
    name: "a rate limit with 200",
    play: (response) => refuse(response, 200, { "retry-after": "20" }, "requests", "rate_limit_exceeded"),
    ...both({ ...outage(), told: { status: 429, code: "upstream_rate_limited" }, again: 0 }),
    short: true
  },
  {
    name: "a malformed tool call",
    play: after(malformed(whole), [role, malformed(events.at(-3)!), ...events.slice(-2)], end),
    ...both({ ...broken, billed: "exact" })
  },
  { name: "empty 200", play: after("", [], end), ...both(broken) },
  {
    name: "HTML with 200",
    play: (response) => {
      response.writeHead(200, { "content-type": "text/html" })
      response.end("<html><body>It works!</body></html>")
    },
    ...both(broken),
    short: true
  },
  {
    name: "slow drip",
    play: (response, stream) => {
      begin(response, stream)
      let at = 0
      const text = stream ? events.join("") : whole
      whileOpen(response, 100, () => response.write(text[at++ % text.length]))
    },
    ...both(silent)
  },
  {
    name: "endless line",
    play: (response, stream) => {
      begin(response, stream, stream ? 'data: {"a":"' : '{"a":"')
      const piece = "x".repeat(64 * 1024)
      whileOpen(response, 10, () => response.write(piece))
    },
    plain: silent,
    streamed: broken,
    short: true
  },
  {
    name: "endless body",
    play: (response, stream) => {
      begin(response, stream, stream ? role : '{"a":[')
      whileOpen(response, 10, () => response.write(stream ? one : '"x",'))
    },
    plain: silent,
    streamed: { ...cut, told: timeout }
  }
]

export const faults: ReadonlyArray<Fault> = [...openAiFaults, ...geminiFaults, ...protocolFaults]
