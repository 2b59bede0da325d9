/** What the receiver of a guardrail's webhook is sent, and the verdict that it responds with. */
import { Result, Schema } from "effect"
import type { ContentRole } from "./content/ContentWalk.ts"
import type { ContentKind } from "./content/FieldRules.ts"

/** Which request the texts are from. */
export interface CheckedCall {
  readonly request_id: string
  readonly key_id: string
  readonly team: string | null
  readonly user: string | null
  readonly operation: string
  readonly model: string
}

export interface CheckedText {
  readonly role: ContentRole
  readonly kind: ContentKind
  readonly text: string
  /** What the caller has of the text before, in a stream. */
  readonly context?: string | undefined
}

export interface VerdictQuestion {
  readonly stage: "request" | "response"
  /** Nothing follows. */
  readonly isFinal: boolean
  readonly call: CheckedCall
  readonly texts: ReadonlyArray<CheckedText>
}

/** The body of the message, version 1. */
export const verdictQuestion = ({ call, isFinal, stage, texts }: VerdictQuestion): string =>
  JSON.stringify({
    v: 1,
    stage,
    final: isFinal,
    ...call,
    texts: texts.map(({ kind, role, text }, i) => ({ i, role, kind, text })),
    context: texts.flatMap(({ context }, i) => (context === undefined ? [] : [{ i, text: context }]))
  })

/** Replaces the characters from `from` to before `to`: by a placeholder with a label, or by a text. */
export type VerdictEdit = { readonly from: number; readonly to: number } & (
  | { readonly label: string }
  | { readonly text: string }
)

export interface Verdict {
  readonly action: "allow" | "flag" | "mask" | "deny"
  /** The receiver's reason. */
  readonly rule: string
  /** Of each text, in order and apart from each other. */
  readonly edits: ReadonlyArray<ReadonlyArray<VerdictEdit>>
}

const Name = Schema.String.check(Schema.isPattern(/^[\w .:-]{1,64}$/))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Reply = Schema.Struct({
  action: Schema.Literals(["allow", "flag", "mask", "deny"]),
  reason: Schema.optionalKey(Name),
  spans: Schema.optionalKey(
    Schema.Array(Schema.Struct({ i: Count, from: Count, to: Count, label: Schema.optionalKey(Name) }))
  ),
  texts: Schema.optionalKey(Schema.Array(Schema.Struct({ i: Count, text: Schema.String })))
})
const decodeReply = Schema.decodeUnknownResult(Schema.fromJsonString(Reply))

/** A verdict, or what is wrong with the response. */
export const verdictOf = (body: string, texts: ReadonlyArray<CheckedText>): Result.Result<Verdict, string> => {
  const reply = Result.getOrUndefined(decodeReply(body))
  if (reply === undefined) return Result.fail("the receiver's response is not a verdict")
  const { action, reason: rule = "webhook", spans = [], texts: whole = [] } = reply
  if (action !== "mask") return Result.succeed({ action, rule, edits: [] })
  const found = [
    ...spans.map(({ from, i, label = rule, to }) => ({ i, edit: pointsOf(texts[i]?.text ?? "", from, to, label) })),
    ...whole.map(({ i, text }) => ({
      i,
      edit: i < texts.length ? { from: 0, to: texts[i]!.text.length, text } : undefined
    }))
  ]
  const edits = texts.map((): Array<VerdictEdit> => [])
  for (const { edit, i } of found) {
    if (edit === undefined) return Result.fail("the receiver's response is about texts that it was not sent")
    edits[i]!.push(edit)
  }
  if (found.length === 0) return Result.fail("the receiver's response masks nothing")
  return Result.succeed({ action, rule, edits: edits.map(apart) })
}

/** Receivers count characters as Unicode does. */
const pointsOf = (text: string, from: number, to: number, label: string): VerdictEdit | undefined => {
  const points = [...text]
  if (from >= to || to > points.length) return undefined
  const start = points.slice(0, from).join("").length
  return { from: start, to: start + points.slice(from, to).join("").length, label }
}

/** What overlaps an earlier edit only lengthens it. */
const apart = (edits: ReadonlyArray<VerdictEdit>): ReadonlyArray<VerdictEdit> => {
  const all: Array<VerdictEdit> = []
  for (const edit of edits.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1)
    if (last === undefined || edit.from >= last.to) all.push(edit)
    else all[all.length - 1] = { ...last, to: Math.max(last.to, edit.to) }
  }
  return all
}
