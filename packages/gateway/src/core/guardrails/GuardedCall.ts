/** What guardrails do to one request and its response, and what they found. */
import { createHmac } from "node:crypto"
import { Effect } from "effect"
import {
  type ContentKind,
  type ContentRule,
  isMaskable,
  type ContentPlace,
  type ContentVisitor,
  walkContent
} from "@model-gateway/protocol"
import type { GuardrailStage, GuardrailVerdict } from "../domain/Guardrail.ts"
import { GuardrailDenied, type InvalidField } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { LiftedAnswer } from "../operations/LiftedAnswer.ts"
import type { Operation } from "../operations/Operation.ts"
import { choosing } from "../operations/ReadChoice.ts"
import type { EffectivePolicy } from "./Guardrails.ts"
import { secretKind } from "./SecretRules.ts"
import { type CheckedRule, TextScanner } from "./TextScanner.ts"

/** Characters that are read between two pauses for other requests. */
const AT_ONCE = 65_536
/** More matches than this in one stage are an attack on the gateway, and are denied. */
const MOST_MATCHES = 10_000

interface Tally {
  action: GuardrailVerdict["action"]
  readonly rules: Record<string, number>
}

/** For receipts, headers and bodies. */
export interface GuardrailOutcome {
  readonly check: string
  readonly action: "flag" | "mask" | "deny"
}

const strength = { pass: 0, flag: 1, mask: 2, deny: 3 }

export class GuardedCall {
  readonly operation: Operation
  readonly policy: EffectivePolicy
  /** The match that ended the request or its response. */
  denied: GuardrailDenied | undefined
  /** The request, if it was changed. */
  masked: CallRequest | undefined
  private readonly tallies = new Map<string, Tally>()
  private readonly seed: string
  private readonly pepper: Uint8Array
  private matches = 0
  private deniedAt: GuardrailStage | undefined

  /** `owner`: equal values have equal placeholders for one owner alone. `pepper`: keeps others from guessing values. */
  constructor(operation: Operation, policy: EffectivePolicy, owner: string, pepper: Uint8Array) {
    this.operation = operation
    this.policy = policy
    this.seed = owner
    this.pepper = pepper
  }

  get checksResponses(): boolean {
    return this.policy.response.length > 0
  }

  get verdicts(): ReadonlyArray<GuardrailVerdict> {
    return [...this.tallies].flatMap(([name, { action, rules }]) => {
      const [stage, check] = name.split(" ", 2) as [GuardrailStage, string]
      // A denial ends the stage, so checks without a match did not see all of it.
      return action === "pass" && stage === this.deniedAt ? [] : [{ check, stage, action, rules }]
    })
  }

  /** The strictest of all verdicts; undefined where all checks passed. */
  get outcome(): GuardrailOutcome | undefined {
    const strictest = this.verdicts.reduce<GuardrailVerdict | undefined>(
      (one, other) => (one !== undefined && strength[one.action] >= strength[other.action] ? one : other),
      undefined
    )
    return strictest === undefined || strictest.action === "pass"
      ? undefined
      : { check: strictest.check, action: strictest.action }
  }

  /** The request to send, read again where it was changed: its size bounds its cost. */
  request(request: CallRequest): Effect.Effect<CallRequest, GuardrailDenied | InvalidField> {
    return Effect.gen({ self: this }, function* () {
      const rules = this.begin("request", this.policy.request)
      for (const { field, filename } of request.files ?? []) {
        this.media("request", field)
        this.scanner("request", rules, "name").push(filename, true)
      }
      const { choice } = request
      // OpenRouter is sent the caller's `provider`, which the body has no longer.
      const whole = choice?.provider === undefined ? request.body : { ...request.body, provider: choice.provider }
      const found: JsonObject = yield* this.body(whole, this.operation.content.request, "request", rules)
      if (this.denied !== undefined) return yield* this.denied
      if (found === whole) return request
      const { provider, ...rest } = found
      const body = choice === undefined ? found : rest
      const bytes = Buffer.byteLength(JSON.stringify(body))
      const { files = [] } = request
      const read = this.operation.read(
        request.files === undefined
          ? { kind: "json", value: body, bytes }
          : { kind: "form", fields: body, files, bytes }
      )
      const masked = yield* Effect.fromResult(read)
      const chosen = choice && { ...choice, provider: provider as JsonObject | undefined }
      return (this.masked = chosen === undefined ? masked : choosing(chosen, masked))
    })
  }

  /** The response to return. Where it is denied, its own shape says so, or `denied` is the error. */
  response(answer: LiftedAnswer): Effect.Effect<LiftedAnswer> {
    return Effect.gen({ self: this }, function* () {
      if (!this.checksResponses) return answer
      const rules = this.begin("response", this.policy.response)
      const { content } = this.operation
      const body = yield* this.body(answer.body, content.response, "response", rules)
      const raw = answer.raw === undefined ? undefined : this.raw(answer.raw, rules)
      if (this.denied !== undefined) return { ...answer, body: content.denied?.(answer.body) ?? {}, text: undefined }
      if (body === answer.body && raw === answer.raw) return answer
      return { ...answer, body, raw, text: undefined }
    })
  }

  /** Counts the checks of a stage as run. */
  begin(stage: GuardrailStage, rules: ReadonlyArray<CheckedRule>): ReadonlyArray<CheckedRule> {
    for (const { check } of rules) this.tally(stage, check)
    return rules
  }

  /** A scanner of one text. `isCounted`: false for one that repeats others. */
  scanner(stage: GuardrailStage, rules: ReadonlyArray<CheckedRule>, kind: ContentKind, isCounted = true): TextScanner {
    return new TextScanner(rules, (checked, found) => this.matched(stage, checked, found, kind, isCounted))
  }

  /** Subtitles and plain texts. */
  private raw(raw: NonNullable<LiftedAnswer["raw"]>, rules: ReadonlyArray<CheckedRule>): LiftedAnswer["raw"] {
    if (!/^text\/|srt|vtt|subrip/.test(raw.contentType)) return raw
    const text = Buffer.from(raw.bytes).toString()
    const after = this.scanner("response", rules, "text").push(text, true)
    return after === text ? raw : { ...raw, bytes: Buffer.from(after) }
  }

  /** The body with what is masked in it. Texts are collected first, so that long ones leave time for other requests. */
  private body(body: JsonObject, rule: ContentRule, stage: GuardrailStage, rules: ReadonlyArray<CheckedRule>) {
    return Effect.gen({ self: this }, function* () {
      const texts: Array<{ readonly text: string; readonly kind: ContentKind }> = []
      const more: Omit<ContentVisitor, "text"> = {
        media: (path) => this.media(stage, path),
        ...(stage === "response" ? { removed: () => {} } : undefined)
      }
      const start = { role: stage === "request" ? ("user" as const) : ("assistant" as const) }
      const read = walkContent(
        body,
        rule,
        { text: (text: string, { kind }: ContentPlace) => (texts.push({ text, kind }), text), ...more },
        start
      )
      let isChanged = false
      let left = AT_ONCE
      const after: Array<string> = []
      for (const { kind, text } of texts) {
        if (this.denied !== undefined) return read
        const scanner = this.scanner(stage, rules, kind)
        let seen = ""
        for (let at = 0; at < text.length; at += AT_ONCE) {
          const piece = text.slice(at, at + AT_ONCE)
          left -= piece.length
          if (left <= 0) {
            left = AT_ONCE
            yield* Effect.yieldNow
          }
          seen += scanner.push(piece, at + AT_ONCE >= text.length)
        }
        isChanged ||= seen !== text
        after.push(seen)
      }
      if (!isChanged) return read
      let next = 0
      return walkContent(read, rule, { text: () => after[next++]! }, start)
    })
  }

  private media(stage: GuardrailStage, path: string): void {
    if (stage === "request" && this.policy.deniesMedia) this.denies(stage, "media", "unscanned", path)
  }

  private matched(
    stage: GuardrailStage,
    { action, check, rule }: CheckedRule,
    found: string,
    kind: ContentKind,
    isCounted: boolean
  ): string {
    const name = rule.name === "secret" ? secretKind(found) : rule.name
    const tally = this.tally(stage, check)
    if (isCounted) tally.rules[name] = (tally.rules[name] ?? 0) + 1
    const isDenied = action === "deny" || (action === "mask" && !isMaskable(kind)) || ++this.matches > MOST_MATCHES
    if (isDenied) this.denies(stage, check, name, action === "mask" && !isMaskable(kind) ? kind : undefined)
    else if (strength[action] > strength[tally.action]) tally.action = action
    return this.placeholder(name, found)
  }

  private denies(stage: GuardrailStage, check: string, rule: string, place?: string): void {
    this.tally(stage, check).action = "deny"
    this.deniedAt ??= stage
    const message = this.policy.messages.get(check)
    this.denied ??= new GuardrailDenied({
      check,
      rule,
      stage,
      verdicts: this.verdicts,
      ...(place === undefined ? {} : { place }),
      ...(message === undefined ? {} : { message })
    })
  }

  /** The same for the same value in every turn, so that prompt caches stay valid. */
  private placeholder(name: string, value: string): string {
    const digest = createHmac("sha256", this.pepper).update(`guardrail\0${this.seed}\0${name}\0${value}`).digest()
    let number = digest.readUIntBE(0, 5)
    let letters = ""
    for (; letters.length < 8; number = Math.floor(number / 32)) letters += LETTERS[number % 32]!
    return `<${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_${letters}>`
  }

  private tally(stage: GuardrailStage, check: string): Tally {
    const name = `${stage} ${check}`
    const known = this.tallies.get(name)
    if (known !== undefined) return known
    const made: Tally = { action: "pass", rules: {} }
    this.tallies.set(name, made)
    return made
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
