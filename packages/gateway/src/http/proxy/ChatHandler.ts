/** `POST /v1/chat/completions`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, Result } from "effect"
import type { Preference } from "../../core/routing/CutPoints.ts"
import { chat as chatOperation } from "../../core/operations/chat/Chat.ts"
import type { Departure } from "../../core/call/Departure.ts"
import { InvalidField } from "../../core/domain/Errors.ts"
import type { ChatInput } from "../../core/call/CallInput.ts"
import { Gateway } from "../../core/call/Gateway.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import { parseChat } from "../../core/operations/ParseChat.ts"
import type { RoutingMetadata } from "../../core/operations/RoutingMetadata.ts"
import { RateLimiter } from "../../core/limits/RateLimiter.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import type { GatewayError } from "../WireError.ts"
import { answerHeaders } from "./AnswerHeaders.ts"
import { withEarlyHead } from "./EarlyHead.ts"
import { TurnsByKey } from "./LargeBodies.ts"
import { readJson } from "./ReadBody.ts"
import { replyText } from "./Reply.ts"
import { replyStream } from "./ReplyStream.ts"
import { cutIfStalled } from "./Backpressure.ts"

export interface Exchanged {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** What goes back as `x-request-id`. */
  readonly echoedId: string
  readonly departure: Departure
  readonly keyId: string
  /** Who asks, as of now. */
  readonly caller: Effect.Effect<Caller, GatewayError>
}

export const makeChatHandler = Effect.fnUntraced(function* (options: {
  readonly maxBodyBytes: number
  readonly stalledClientMs: number
  readonly earlyKeepaliveMs: number | undefined
}) {
  const { earlyKeepaliveMs, maxBodyBytes, stalledClientMs } = options

  const gateway = yield* Gateway
  const limiter = yield* RateLimiter
  const ledger = yield* SpendLedger
  const turns = new TurnsByKey()

  return Effect.fnUntraced(function* (exchanged: Exchanged) {
    const { request, requestId, response } = exchanged
    const body = yield* readJson(request, maxBodyBytes, (work) => turns.take(exchanged.keyId, work))
    // A body may take minutes to arrive: what was changed meanwhile is in force, a revocation above all.
    const caller = yield* exchanged.caller
    const chat = yield* Effect.fromResult(parseChat(body.value, body.bytes, body.long))
    const asked = yield* Effect.fromResult(optionsOf(request))
    const input: ChatInput = {
      requestId,
      caller,
      endpoint: "/v1/chat/completions",
      request: chat,
      traceParent: traceParentOf(request),
      ...asked,
      tags: asked.tags.length === 0 ? caller.key.tags : [...caller.key.tags, ...asked.tags],
      departure: exchanged.departure,
      isCallerGone: () => response.destroyed
    }
    const headersOf = (report: RoutingMetadata) =>
      Effect.map(limiter.allowances(caller), (allowances) => {
        const headers = answerHeaders(report, allowances, ledger.remaining(caller))
        headers["x-request-id"] = exchanged.echoedId
        return headers
      })
    const isEarly = chat.stream && earlyKeepaliveMs !== undefined
    const { answer, opened } = isEarly
      ? yield* withEarlyHead({ response, afterMs: earlyKeepaliveMs, headersOf }, (attempting) =>
          gateway.call(chatOperation, { ...input, attempting })
        )
      : { answer: yield* gateway.call(chatOperation, input), opened: undefined }
    const headers = opened === undefined ? yield* headersOf(answer.report) : {}
    if (answer.kind === "stream") return yield* replyStream(response, headers, answer, stalledClientMs, opened)
    replyText(response, 200, headers, answer.text)
    cutIfStalled(response, stalledClientMs)
  })
})

/** Twice, it is joined by a comma, and then it is none. */
const traceParentOf = ({ headers }: IncomingMessage): string | undefined =>
  typeof headers["traceparent"] === "string" ? headers["traceparent"] : undefined

const MAX_TAGS = 16
const SESSION_ID = /^[\x21-\x7e]{1,128}$/
const TAG = /^[\w.:/-]{1,64}$/

/** What a caller may ask for by header. */
const optionsOf = ({ headers }: IncomingMessage) => {
  const recovery = headers["x-gateway-stream-recovery"]
  if (recovery !== undefined && recovery !== "cut" && recovery !== "buffer") {
    return invalid("X-Gateway-Stream-Recovery", "must be `cut` or `buffer`")
  }
  const prefer = headers["x-gateway-route-prefer"]
  if (prefer !== undefined && !isPreference(prefer)) {
    return invalid("X-Gateway-Route-Prefer", "must be `cost` or `quality`")
  }
  const sessionId = headers["x-gateway-session-id"]
  if (sessionId !== undefined && (typeof sessionId !== "string" || !SESSION_ID.test(sessionId))) {
    return invalid("X-Gateway-Session-Id", "must be 1 to 128 visible ASCII characters")
  }
  const tags = headers["x-gateway-tags"]
  const list =
    typeof tags === "string"
      ? tags
          .split(",")
          .map((tag) => tag.trim())
          .filter((tag) => tag !== "")
      : []
  if (list.length > MAX_TAGS || list.some((tag) => !TAG.test(tag))) {
    return invalid(
      "X-Gateway-Tags",
      `must be at most ${MAX_TAGS} tags of letters, digits and \`._:/-\`, joined by commas`
    )
  }
  for (const name of ["x-gateway-no-fallback", "x-gateway-strict"]) {
    const value = headers[name]
    if (value !== undefined && value !== "0" && value !== "1") return invalid(name, "must be `1` or `0`")
  }
  return Result.succeed({
    noFallback: headers["x-gateway-no-fallback"] === "1",
    strict: headers["x-gateway-strict"] === "1",
    streamRecovery: recovery,
    sessionId,
    prefer,
    tags: list
  } as const)
}

const isPreference = (value: unknown): value is Preference => value === "cost" || value === "quality"

const invalid = (header: string, rule: string) =>
  Result.fail(new InvalidField({ param: header.toLowerCase(), message: `the header ${header} ${rule}` }))
