/** What guardrails do to one request and its response, and what they found. */
import { createHmac } from "node:crypto"
import { Clock, Effect, Option } from "effect"
import {
  type CheckedCall,
  type CheckedRule,
  type CheckedText,
  type ContentKind,
  type ContentRole,
  type ContentRule,
  guardrailActions,
  type GuardrailVerdict,
  isMaskable,
  secretKind,
  TextScanner,
  type ContentPlace,
  type ContentVisitor,
  editedText,
  type TextEdit,
  type VerdictEdit,
  walkContent
} from "@model-gateway/protocol"
import type { GuardrailStage } from "../domain/Guardrail.ts"
import { GuardrailDenied, type InvalidField } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { LiftedAnswer } from "../operations/LiftedAnswer.ts"
import type { Operation } from "../operations/Operation.ts"
import { choosing } from "../operations/ReadChoice.ts"
import type { EffectivePolicy } from "./Guardrails.ts"
import { pausedSeconds, type WebhookCheck } from "./WebhookCheck.ts"

/** Characters that are read between two pauses for other requests. */
const AT_ONCE = 65_536
/** More matches than this in one stage are an attack on the gateway, and are denied. */
const MOST_MATCHES = 10_000

interface Tally {
  action: GuardrailVerdict["action"]
  readonly rules: Record<string, number>
  ms?: number
}

/** For receipts, headers and bodies. */
export interface GuardrailOutcome {
  readonly check: string
  readonly action: "flag" | "mask" | "deny"
}

const strength = (action: GuardrailVerdict["action"]): number => guardrailActions.indexOf(action)

const isSilent = (action: GuardrailVerdict["action"]) => action === "pass" || action === "error_allowed"

export class GuardedCall {
  readonly operation: Operation
  readonly policy: EffectivePolicy
  /** The match that ended the request or its response. */
  denied: GuardrailDenied | undefined
  /** The request, if it was changed. */
  masked: CallRequest | undefined
  private readonly tallies = new Map<string, Tally>()
  private readonly call: CheckedCall
  private readonly pepper: Uint8Array
  private matches = 0
  private deniedAt: GuardrailStage | undefined

  /** Equal values have equal placeholders for one key alone. `pepper`: keeps others from guessing values. */
  constructor(operation: Operation, policy: EffectivePolicy, call: CheckedCall, pepper: Uint8Array) {
    this.operation = operation
    this.policy = policy
    this.call = call
    this.pepper = pepper
  }

  get checksResponses(): boolean {
    return this.policy.response.length > 0 || this.policy.webhooks.response.length > 0
  }

  get awaitsWebhooks(): boolean {
    return this.policy.webhooks.response.length > 0
  }

  /** A complete response that is denied, and no words for that: its shape has none, or the check gave no verdict. */
  get isWordless(): boolean {
    const { denied, operation } = this
    return denied !== undefined && (operation.content.denied === undefined || denied.retryAfter !== undefined)
  }

  get verdicts(): ReadonlyArray<GuardrailVerdict> {
    return [...this.tallies].flatMap(([name, tally]) => {
      const [stage, check] = name.split(" ", 2) as [GuardrailStage, string]
      // A denial ends the stage, so checks without a match did not see all of it.
      return tally.action === "pass" && stage === this.deniedAt ? [] : [{ check, stage, ...tally }]
    })
  }

  /** The strictest of all verdicts; undefined where all checks passed. */
  get outcome(): GuardrailOutcome | undefined {
    const [strictest] = this.verdicts
      .filter(({ action }) => !isSilent(action))
      .sort((one, other) => strength(other.action) - strength(one.action))
    if (strictest === undefined) return undefined
    const { action, check } = strictest
    return { check, action: action === "mask" || action === "flag" ? action : "deny" }
  }

  /** The request to send, read again where it was changed: its size bounds its cost. */
  request(request: CallRequest): Effect.Effect<CallRequest, GuardrailDenied | InvalidField> {
    return Effect.gen({ self: this }, function* () {
      const rules = this.begin("request", this.policy.request)
      const names = (request.files ?? []).map(({ field, filename }) => {
        this.media("request", field)
        return { role: "user", kind: "name", text: filename } as const
      })
      const { choice } = request
      // OpenRouter is sent the caller's `provider`, which the body has no longer.
      const whole = choice?.provider === undefined ? request.body : { ...request.body, provider: choice.provider }
      const { body: found } = yield* this.body(whole, this.operation.content.request, "request", rules, names)
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
      const { raw } = answer
      // Subtitles and plain texts.
      const isText = raw !== undefined && /^text\/|srt|vtt|subrip/.test(raw.contentType)
      const written = isText ? Buffer.from(raw.bytes).toString() : ""
      const texts = isText ? [{ role: "assistant", kind: "text", text: written } as const] : []
      const { body, more } = yield* this.body(answer.body, content.response, "response", rules, texts)
      if (this.denied !== undefined) return { ...answer, body: content.denied?.(answer.body) ?? {}, text: undefined }
      const [after = written] = more
      if (body === answer.body && after === written) return answer
      return { ...answer, body, ...(isText ? { raw: { ...raw, bytes: Buffer.from(after) } } : {}), text: undefined }
    })
  }

  begin(stage: GuardrailStage, rules: ReadonlyArray<CheckedRule>): ReadonlyArray<CheckedRule> {
    for (const { check } of rules) this.tally(stage, check)
    return rules
  }

  /** A scanner of one text. `isCounted`: false for one that repeats others. */
  scanner(stage: GuardrailStage, rules: ReadonlyArray<CheckedRule>, kind: ContentKind, isCounted = true): TextScanner {
    return new TextScanner(rules, (checked, found) => this.matched(stage, checked, found, kind, isCounted))
  }

  /** The body and `more` with what is masked in them. Texts are collected first, so that long ones leave time for other requests. */
  private body(
    body: JsonObject,
    rule: ContentRule,
    stage: GuardrailStage,
    rules: ReadonlyArray<CheckedRule>,
    more: ReadonlyArray<CheckedText>
  ) {
    return Effect.gen({ self: this }, function* () {
      const texts = [...more]
      const visitor: Omit<ContentVisitor, "text"> = {
        media: (path) => this.media(stage, path),
        ...(stage === "response" ? { removed: () => {} } : undefined)
      }
      const start: { readonly role: ContentRole } = { role: stage === "request" ? "user" : "assistant" }
      const collect = (text: string, { kind, role }: ContentPlace) => (texts.push({ text, kind, role }), text)
      const read = walkContent(body, rule, { text: collect, ...visitor }, start)
      let left = AT_ONCE
      const after: Array<string> = []
      for (const { kind, text } of texts) {
        if (this.denied !== undefined) break
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
        after.push(seen)
      }
      for (const webhook of this.policy.webhooks[stage]) {
        if (this.denied !== undefined) break
        const asked = texts.map((one, index) => ({ ...one, text: after[index]! }))
        const edits = yield* this.ask(webhook, stage, asked, true)
        for (const [index, text] of after.entries()) after[index] = editedText(text, edits[index]!)
      }
      const isSame = this.denied !== undefined || texts.every(({ text }, index) => text === after[index])
      if (isSame) return { body: read, more: [] }
      let next = more.length
      return { body: walkContent(read, rule, { text: () => after[next++]! }, start), more: after.slice(0, more.length) }
    })
  }

  /** What a webhook makes of texts: its edits of each. Equal texts are sent once. */
  ask(
    webhook: WebhookCheck,
    stage: GuardrailStage,
    texts: ReadonlyArray<CheckedText>,
    isFinal: boolean
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<TextEdit>>> {
    return Effect.gen({ self: this }, function* () {
      const { name, onError } = webhook.settings
      const places = new Map<string, number>()
      const sent: Array<CheckedText> = []
      const indices = texts.map((one) => {
        const same = `${one.kind} ${one.role} ${one.context?.length} ${one.context}${one.text}`
        const known = one.text === "" ? -1 : places.get(same)
        if (known === undefined) places.set(same, sent.push(one) - 1)
        return known ?? sent.length - 1
      })
      const none = texts.map(() => [])
      if (sent.length === 0) return none
      const clock = yield* Clock.Clock
      const begun = clock.currentTimeMillisUnsafe()
      const decided = yield* Effect.option(webhook.decide({ call: this.call, stage, isFinal, texts: sent }))
      const tally = this.tally(stage, name)
      tally.ms = (tally.ms ?? 0) + clock.currentTimeMillisUnsafe() - begun
      if (Option.isNone(decided)) {
        if (onError === "deny")
          this.denies(stage, name, "webhook", undefined, Math.max(1, pausedSeconds(webhook.settings, clock)))
        else this.strengthen(tally, "error_allowed")
        return none
      }
      const { action, edits, rule } = decided.value
      if (action === "allow") return none
      if (action !== "mask") {
        tally.rules[rule] = (tally.rules[rule] ?? 0) + 1
        if (action === "deny") this.denies(stage, name, rule)
        else this.strengthen(tally, action)
        return none
      }
      const made = sent.map(({ kind, text }, index) =>
        edits[index]!.map((edit) => this.textEdit(tally, stage, name, kind, text, edit))
      )
      return indices.map((index) => made[index] ?? [])
    })
  }

  private textEdit(
    tally: Tally,
    stage: GuardrailStage,
    check: string,
    kind: ContentKind,
    text: string,
    edit: VerdictEdit
  ): TextEdit {
    const name = "label" in edit ? edit.label : "rewritten"
    tally.rules[name] = (tally.rules[name] ?? 0) + 1
    if (isMaskable(kind)) this.strengthen(tally, "mask")
    else this.denies(stage, check, name, kind)
    return "text" in edit ? edit : { ...edit, text: this.placeholder(name, text.slice(edit.from, edit.to)) }
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
    else this.strengthen(tally, action)
    return this.placeholder(name, found)
  }

  private strengthen(tally: Tally, action: Tally["action"]): void {
    if (strength(action) > strength(tally.action)) tally.action = action
  }

  /** `retryAfter`: seconds, if the check gave no verdict. */
  private denies(stage: GuardrailStage, check: string, rule: string, place?: string, retryAfter?: number): void {
    this.strengthen(this.tally(stage, check), retryAfter === undefined ? "deny" : "error_denied")
    this.deniedAt ??= stage
    const message = this.policy.messages.get(check)
    this.denied ??= new GuardrailDenied({
      check,
      rule,
      stage,
      verdicts: this.verdicts,
      ...(place === undefined ? {} : { place }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(message === undefined ? {} : { message })
    })
  }

  /** The same for the same value in every turn, so that prompt caches stay valid. */
  private placeholder(name: string, value: string): string {
    const digest = createHmac("sha256", this.pepper)
      .update(`guardrail\0${this.call.key_id}\0${name}\0${value}`)
      .digest()
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
