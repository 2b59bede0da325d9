/**
 * The sixteen scenarios of Failover Bench (github.com/failoverbench/failoverbench, methodology 0.1), written from its descriptions: what
 * the provider does, and what a caller and the provider must see of the gateway. A model `fb-s01` plays the first scenario.
 */
import type { ServerResponse } from "node:http"
import { completionEvents } from "../support/Upstream.ts"
import { begin, type Fault, refuse, reset } from "./Faults.ts"

type Play = NonNullable<Fault["play"]>

/** What the caller and the provider saw of one request. */
export interface View {
  /** The answer came to its end. */
  readonly ok: boolean
  readonly text: string
  readonly model: string | undefined
  readonly hasUsage: boolean
  readonly ms: number
  /** Nothing came to an end within the time of the scenario. */
  readonly hung: boolean
  /** The error's own words, where it failed. */
  readonly error: string
  /** When the first model was asked, epoch milliseconds. */
  readonly primary: ReadonlyArray<number>
  readonly fallback: number
  /** The fallback was asked to go on with an answer that another model had begun. */
  readonly prefillRefused: boolean
  /** A healthy request right after it was answered. */
  readonly alive: boolean
}

export interface Check {
  readonly id: string
  /** Failing it makes a `partial` of a `pass`; otherwise it makes a `fail`. */
  readonly advisory?: boolean
  readonly holds: (view: View) => boolean
}

export interface Scenario {
  readonly id: string
  readonly title: string
  /** What is right: the answer, or a clean error. */
  readonly ideal?: "error"
  /** Seconds after which a call hangs. */
  readonly maxS: number
  readonly play: Play
  readonly checks: ReadonlyArray<Check>
}

/** Sixty words; every healthy answer is these, one token each. */
export const words = Array.from({ length: 60 }, (_, index) => `word${index + 1}${index === 59 ? "" : " "}`)
export const answerText = words.join("")

const TOKEN_MS = 15
export const FALLBACK = "fb-ok"
/** A fallback that takes no conversation whose last message is the assistant's. */
export const NO_PREFILL = "fb-ok-noprefill"
export const OUTAGE_MS = 60_000

/** The events, one each `TOKEN_MS`; then what comes after them. */
const tell = (
  response: ServerResponse,
  events: ReadonlyArray<string>,
  done: (response: ServerResponse) => void = (end) => void end.end()
) => {
  let at = 0
  const timer = setInterval(() => {
    const event = events[at++]
    if (event !== undefined) return void response.write(event)
    clearInterval(timer)
    done(response)
  }, TOKEN_MS)
  response.once("close", () => clearInterval(timer))
}

const eventsOf = (model: string) =>
  completionEvents(...words).map((one) => one.replace('"model":"m"', `"model":"${model}"`))

const healthy =
  (model: string): Play =>
  (response) => {
    begin(response, true)
    tell(response, eventsOf(model))
  }

const later = (response: ServerResponse, ms: number, then: () => void) => {
  const timer = setTimeout(then, ms)
  response.once("close", () => clearTimeout(timer))
}

const rateLimited = (response: ServerResponse, headers: object = {}) =>
  refuse(response, 429, headers, "requests", "rate_limit_exceeded")
const unavailable: Play = (response) => refuse(response, 503, {}, "server_error")
/** Of the events before the tokens there is one: the role. */
const cutAfter =
  (model: string, tokens: number): Play =>
  (response) => {
    begin(response, true)
    tell(response, eventsOf(model).slice(0, tokens + 1), reset)
  }
/** The first time, and what every later one gets is the answer. */
const once =
  (model: string, first: Play): Play =>
  (response, stream, number) =>
    number === 0 ? first(response, stream, number) : healthy(model)(response, stream, number)

const isWhole = ({ ok, text }: View) => ok && text.trim() === answerText
export const isRescued = ({ ideal }: Scenario, view: View): boolean => (ideal === "error" ? !view.ok : isWhole(view))
/** A part of the answer that was called an answer. */
export const isTruncated = (view: View): boolean => view.ok && !isWhole(view)

const atMost = (most: number): Check => ({
  id: `at most ${most} calls`,
  holds: ({ primary }) => primary.length <= most
})
const exactly = (count: number): Check => ({ id: `${count} call`, holds: ({ primary }) => primary.length === count })
const within = (seconds: number, advisory = false): Check => ({
  id: `within ${seconds} s`,
  advisory,
  holds: ({ ms }) => ms <= seconds * 1000
})
const inFirst = (seconds: number, most: number): Check => ({
  id: `at most ${most} calls in ${seconds} s`,
  holds: ({ primary }) => primary.filter((at) => at - (primary[0] ?? 0) <= seconds * 1000).length <= most
})
const retried: Check = { id: "called again", advisory: true, holds: ({ primary }) => primary.length >= 2 }
const alive: Check = { id: "alive after", holds: (view) => view.alive }
const usage: Check = { id: "usage told", advisory: true, holds: ({ hasUsage }) => hasUsage }

type Made = (model: string) => Omit<Scenario, "id">

const made: ReadonlyArray<Made> = [
  (model) => ({
    title: "429 with Retry-After: 2, once",
    maxS: 20,
    play: once(model, (response) => rateLimited(response, { "retry-after": "2" })),
    checks: [
      retried,
      {
        id: "waits as told",
        advisory: true,
        holds: ({ primary: [first, second] }) => second !== undefined && second - (first ?? 0) >= 1_800
      },
      inFirst(1.5, 2)
    ]
  }),
  () => ({
    title: "429 without Retry-After, always",
    maxS: 40,
    play: (response) => rateLimited(response),
    checks: [inFirst(3, 4), atMost(6)]
  }),
  (model) => ({
    title: "500 once",
    maxS: 20,
    play: once(model, (response) => refuse(response, 500, {}, "server_error")),
    checks: [retried]
  }),
  () => ({ title: "503 always", maxS: 40, play: unavailable, checks: [atMost(6)] }),
  (model) => ({
    title: "connection reset before headers, once",
    maxS: 20,
    play: once(model, (response) => void response.socket?.resetAndDestroy()),
    checks: []
  }),
  () => ({
    title: "no response at all",
    maxS: 130,
    play: (response) => later(response, 120_000, () => response.destroy()),
    checks: [within(100), { ...atMost(1), advisory: true }]
  }),
  (model) => ({
    title: "first token after 20 s",
    maxS: 60,
    play: (response) => {
      begin(response, true)
      later(response, 20_000, () => tell(response, eventsOf(model)))
    },
    checks: [within(15, true)]
  }),
  (model) => ({ title: "stream cut after 40 of 60 tokens", maxS: 40, play: cutAfter(model, 40), checks: [] }),
  (model) => ({
    title: "stream silent after 20 tokens, for 30 s",
    maxS: 70,
    play: (response) => {
      begin(response, true)
      tell(response, eventsOf(model).slice(0, 21), () => later(response, 30_000, () => response.destroy()))
    },
    checks: [within(45), alive]
  }),
  (model) => ({
    title: "tenth event is no JSON",
    maxS: 30,
    play: (response) => {
      begin(response, true)
      tell(response, eventsOf(model).toSpliced(9, 0, 'data: {"choices": [oops\n\n'))
    },
    checks: [alive, { id: "recovered in place", advisory: true, holds: (view) => isWhole(view) && view.fallback === 0 }]
  }),
  (model) => ({
    title: "stream ends without [DONE]",
    maxS: 30,
    play: (response) => {
      begin(response, true)
      tell(response, eventsOf(model).slice(0, -1))
    },
    checks: [within(8), usage]
  }),
  () => ({
    title: "400 context_length_exceeded",
    maxS: 20,
    play: (response) => refuse(response, 400, {}, "invalid_request_error", "context_length_exceeded"),
    checks: [exactly(1)]
  }),
  () => ({
    title: "400 content_policy_violation",
    ideal: "error",
    maxS: 20,
    play: (response) => refuse(response, 400, {}, "invalid_request_error", "content_policy_violation"),
    checks: [exactly(1)]
  }),
  (model) => ({
    title: "stream cut, fallback takes no prefill",
    maxS: 40,
    play: cutAfter(model, 40),
    checks: [{ id: "prefill's 400 hides nothing", holds: ({ ok, prefillRefused }) => ok || !prefillRefused }]
  }),
  (model) => {
    let downSince: number | undefined
    return {
      title: "down for 60 s, then healthy; 20 requests",
      maxS: 30,
      play: (...call) => {
        downSince ??= Date.now()
        return (Date.now() - downSince < OUTAGE_MS ? unavailable : healthy(model))(...call)
      },
      checks: []
    }
  },
  () => ({
    title: "503 always: whose model and usage",
    maxS: 40,
    play: unavailable,
    checks: [{ id: "names the fallback", holds: ({ model }) => model === FALLBACK }, usage, atMost(6)]
  })
]

const modelOf = (index: number) => `fb-s${String(index + 1).padStart(2, "0")}`

export const scenarios: ReadonlyArray<Scenario> = made.map((make, index) => ({
  id: `S${String(index + 1).padStart(2, "0")}`,
  ...make(modelOf(index))
}))

export const primaryOf = ({ id }: Scenario): string => `fb-${id.toLowerCase()}`
export const fallbackOf = ({ id }: Scenario): string => (id === "S14" ? NO_PREFILL : FALLBACK)
/** It is asked twenty times over, and judged as a whole. */
export const isSequence = ({ id }: Scenario): boolean => id === "S15"

export const failoverPlay = (model: string): Play | undefined =>
  model === FALLBACK || model === NO_PREFILL ? healthy(model) : scenarios.find((one) => primaryOf(one) === model)?.play

export const refusePrefill: Play = (response) =>
  refuse(response, 400, {}, "invalid_request_error", "prefill_not_supported")
