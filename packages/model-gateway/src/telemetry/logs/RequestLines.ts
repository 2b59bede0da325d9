/** A line for each finished request, or for each that went wrong, as the configuration says. */
import { Effect, Layer } from "effect"
import { nanoToUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import {
  errorOf,
  type FullBudget,
  type ProviderError,
  type Receipt
} from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { ReceiptEvents } from "@model-gateway/gateway/internal/core/receipts/ReceiptEvents"
import type { LogFormat, LogSettings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { inputTokens, outputTokens } from "@model-gateway/gateway/internal/core/domain/Usage"
import type { FieldName } from "./LogFields.ts"
import { quoted } from "./LogLine.ts"
import { LogWriter } from "./LogWriter.ts"

/** A caller who leaves is none. */
const wentWrong = (status: Receipt["status"]): boolean =>
  status === "failed" || status === "cut" || status === "refused"

export const layer = ({ format, requests }: LogSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (requests === "off") return
      const writer = yield* LogWriter
      const log = yield* ReceiptEvents
      const formatter = new RequestFormatter(format)
      log.listen((receipt) => {
        if (requests === "all" || wentWrong(receipt.status)) writer.write(formatter.line(receipt))
      })
    })
  )

/** Names that were quoted once are kept; there are as many as deployments, teams and buckets. */
const MOST_KEPT = 10_000

/**
 * Writes the line piece by piece: with `logs.requests: all` every request pays for it, and an object that is made to be turned into
 * text costs four times as much. The requested model is not in it: that is a word from outside. What a provider said of a failed call
 * is, credentials struck out.
 */
class RequestFormatter {
  private readonly isJson: boolean
  private readonly format: LogFormat
  private readonly kept = new Map<string, string>()
  private second = -1
  private secondText = ""

  constructor(format: LogFormat) {
    this.format = format
    this.isJson = format === "json"
  }

  line(receipt: Receipt): string {
    const { attempts, keyName, refusal, status, team } = receipt
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
    let text = this.isJson ? `{"timestamp":"` : "timestamp="
    text += this.time(receipt.at + receipt.durationMs)
    text += this.isJson ? `","level":"` : " level="
    text += wentWrong(status) ? "WARN" : "INFO"
    text += this.isJson ? `","message":"request"` : " message=request"
    text += this.word("request_id", receipt.requestId)
    if (receipt.keyId !== "") text += this.word("key_id", receipt.keyId)
    if (keyName !== undefined && keyName !== null) text += this.name("key_name", keyName)
    if (team !== null) text += this.name("team", team)
    if (receipt.endpoint !== "") text += this.name("endpoint", receipt.endpoint)
    text += this.word("status", status)
    const error = errorOf(receipt)
    if (error !== undefined) text += this.word("error", error)
    if (refusal !== undefined) {
      text += this.value("http_status", refusal.httpStatus) + this.value("count", refusal.count)
      text += this.value("duration_ms", receipt.durationMs)
      return this.isJson ? `${text}}` : text
    }
    if (receipt.fullBudget !== undefined) text += this.budget(receipt.fullBudget)
    if (last !== undefined) text += this.name("deployment", last.deployment)
    if (last !== undefined && last.httpStatus !== null) text += this.value("upstream_status", last.httpStatus)
    if (last?.error !== undefined) text += this.said(last.error)
    if (last?.adapted !== undefined) text += this.quoted("adapted", quoted(last.adapted.join(), this.format))
    text += this.name("bucket", receipt.bucket) + this.value("stream", receipt.stream)
    text += this.value("retries", Math.max(0, attempts.length - 1)) + this.value("cost_usd", nanoToUsd(cost))
    if (!receipt.priced) text += this.value("priced", false)
    if (estimated) text += this.value("estimated", true)
    text += this.value("input_tokens", input) + this.value("output_tokens", output)
    text += this.value("duration_ms", receipt.durationMs)
    if (last !== undefined && last.firstTokenMs !== null) text += this.value("first_token_ms", last.firstTokenMs)
    return this.isJson ? `${text}}` : text
  }

  /** Not kept for other lines, as names are: no two of them need be the same. */
  private said({ code, message, type }: ProviderError): string {
    const field = (name: FieldName, text: string | null) =>
      text === null || text === "" ? "" : this.quoted(name, quoted(text, this.format))
    return field("upstream_code", code) + field("upstream_type", type) + field("upstream_message", message)
  }

  /** Which budget had no room, the key's or the team's, and how much of it there was. */
  private budget({ limit, needed, scope, used, window }: FullBudget): string {
    const which = this.word("budget", scope) + this.word("budget_window", window)
    const room = this.value("budget_usd", nanoToUsd(limit)) + this.value("budget_used_usd", nanoToUsd(used))
    return which + room + this.value("needed_usd", nanoToUsd(needed))
  }

  /** RFC 3339; the part that changes once a second is made once a second. */
  private time(epochMs: number): string {
    const second = Math.floor(epochMs / 1000)
    if (second !== this.second) {
      this.second = second
      this.secondText = new Date(second * 1000).toISOString().slice(0, -4)
    }
    const ms = Math.floor(epochMs - second * 1000)
    return `${this.secondText}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`
  }

  /** Letters, digits and `_` only. */
  private word(field: FieldName, word: string): string {
    return this.isJson ? `,"${field}":"${word}"` : ` ${field}=${word}`
  }

  private value(field: FieldName, value: number | boolean): string {
    return this.isJson ? `,"${field}":${value}` : ` ${field}=${value}`
  }

  private name(field: FieldName, name: string): string {
    let text = this.kept.get(name)
    if (text === undefined) {
      text = quoted(name, this.format)
      if (this.kept.size < MOST_KEPT) this.kept.set(name, text)
    }
    return this.quoted(field, text)
  }

  private quoted(field: FieldName, text: string): string {
    return this.isJson ? `,"${field}":${text}` : ` ${field}=${text}`
  }
}
