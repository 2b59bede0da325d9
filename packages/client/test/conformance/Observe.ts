/** What a step's call gave, in the words of the conformance suite. */
import { readFile } from "node:fs/promises"
import { createReadStream } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import {
  AuthenticationError,
  BadRequestError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  type Decision,
  GatewayError,
  type GatewayStream,
  InvalidAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StreamInterruptedError,
  TimeoutError,
  UpstreamError
} from "../../src/index.ts"

const classes = [
  ["configuration", ConfigurationError],
  ["authentication", AuthenticationError],
  ["permission", PermissionError],
  ["not_found", NotFoundError],
  ["bad_request", BadRequestError],
  ["rate_limit", RateLimitError],
  ["budget", BudgetExceededError],
  ["upstream", UpstreamError],
  ["server", ServerError],
  ["timeout", TimeoutError],
  ["connection", ConnectionError],
  ["stream_interrupted", StreamInterruptedError],
  ["invalid_answer", InvalidAnswerError]
] as const

export type Observation = Record<string, unknown>

export const errorOf = (error: unknown): object => {
  if (!(error instanceof GatewayError)) return { class: String(error), message: String(error) }
  const { code, message, param, requestId, status } = error
  const limits =
    error instanceof RateLimitError || error instanceof BudgetExceededError
      ? {
          kind: error.kind,
          retry_after_seconds: error.retryAfterSeconds,
          limit: error.limit,
          used: error.used,
          scope: error.scope
        }
      : {}
  return {
    class: classes.find(([, type]) => error instanceof type)?.[0],
    message,
    status,
    code,
    param,
    request_id: requestId,
    ...(error instanceof StreamInterruptedError ? { partial: error.text } : {}),
    ...limits
  }
}

export const shown = (...values: ReadonlyArray<unknown>): string =>
  values
    .map((value) => [
      inspect(value, { depth: 10, showHidden: true }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? value.stack : ""
    ])
    .flat()
    .join("\n")

export const wireDecision = (decision: Decision | undefined): object | null =>
  decision === undefined
    ? null
    : {
        decision: decision.decision,
        deployment: decision.deployment,
        provider: decision.provider,
        model: decision.model,
        bucket: decision.bucket,
        score: decision.score,
        cost_usd: decision.costUsd,
        cost_is_final: decision.costIsFinal,
        retries: decision.retries,
        request_id: decision.requestId,
        receipt_id: decision.receiptId,
        guardrail: decision.guardrail
      }

/** Goes through a stream as its users do. `seen` is filled while it goes, so that what had come is told of one that failed too. */
export const observeStream = async (
  stream: GatewayStream<unknown, object>,
  leaveAfter: number | undefined,
  seen: Observation
): Promise<void> => {
  const told = { at_once: wireDecision(stream.gateway), pieces: 0, text: "" }
  seen["stream"] = told
  if (leaveAfter === undefined) {
    // The pieces of text go by the same events: one stream is read once, so the text is what the final answer adds up to.
    for await (const event of stream) {
      told.pieces++
      told.text += textIn(event)
    }
    const { gateway: _, ...final } = (await stream.final()) as { readonly gateway: unknown }
    seen["final"] = final
  } else {
    for await (const _ of stream) if (++told.pieces >= leaveAfter) break
  }
  seen["gateway"] = wireDecision(stream.gateway)
}

/** The text of one event, in any of the forms. */
// oxlint-disable-next-line typescript/no-explicit-any -- events of all kinds
const textIn = (event: any): string => {
  if (Array.isArray(event.choices)) return event.choices[0]?.delta?.content ?? event.choices[0]?.text ?? ""
  if (event.type === "content_block_delta") return event.delta.text ?? ""
  return /(output_text|transcript\.text)\.delta$/.test(event.type) ? event.delta : ""
}

export const upload = async (fixtures: string, { as, fixture }: { readonly as: string; readonly fixture: string }) => {
  const path = join(fixtures, fixture)
  if (as === "path") return { path }
  if (as === "stream") return createReadStream(path)
  return new Uint8Array(await readFile(path))
}
