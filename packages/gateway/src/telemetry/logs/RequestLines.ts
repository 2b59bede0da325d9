/** A line for each finished request, or for each that went wrong, as the configuration says. */
import { Effect, Layer } from "effect"
import { nanoToUsd } from "../../core/Money.ts"
import type { Receipt } from "../../core/Receipt.ts"
import { RequestLog } from "../../core/RequestLog.ts"
import type { LogSettings } from "../../core/Settings.ts"
import { inputTokens, outputTokens } from "../../core/Usage.ts"
import { errorOf } from "../metrics/RequestMetrics.ts"
import type { FieldName, Value } from "./Fields.ts"
import { formatLine } from "./LogLine.ts"
import { LogWriter } from "./LogWriter.ts"

/** A caller who leaves is none. */
const wentWrong = (status: Receipt["status"]): boolean =>
  status === "failed" || status === "cut" || status === "refused"

export const layer = ({ format, requests }: LogSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (requests === "off") return
      const writer = yield* LogWriter
      const log = yield* RequestLog
      log.listen((receipt) => {
        const bad = wentWrong(receipt.status)
        if (!bad && requests === "errors") return
        const at = receipt.at + receipt.durationMs
        const line = { at, level: bad ? "WARN" : "INFO", message: "request", fields: fieldsOf(receipt) } as const
        writer.write(formatLine(line, format))
      })
    })
  )

/** What the line tells. The requested model is not in it: that is a word from outside. */
const fieldsOf = (receipt: Receipt): Partial<Record<FieldName, Value>> => {
  const { attempts, status, team } = receipt
  const last = attempts[attempts.length - 1]
  let cost = 0
  let input = 0
  let output = 0
  let estimated = false
  for (const attempt of attempts) {
    cost += attempt.cost
    input += inputTokens(attempt.usage)
    output += outputTokens(attempt.usage)
    estimated ||= attempt.estimated
  }
  const fields: Partial<Record<FieldName, Value>> = {
    request_id: receipt.requestId,
    key_id: receipt.keyId,
    endpoint: receipt.endpoint,
    status,
    bucket: receipt.bucket,
    stream: receipt.stream,
    retries: Math.max(0, attempts.length - 1),
    cost_usd: nanoToUsd(cost),
    input_tokens: input,
    output_tokens: output,
    duration_ms: receipt.durationMs
  }
  if (team !== null) fields.team = team
  if (status !== "ok") fields.error = errorOf(receipt, last)
  if (!receipt.priced) fields.priced = false
  if (estimated) fields.estimated = true
  if (last === undefined) return fields
  fields.deployment = last.deployment
  if (last.httpStatus !== null) fields.upstream_status = last.httpStatus
  if (last.firstTokenMs !== null) fields.first_token_ms = last.firstTokenMs
  return fields
}
