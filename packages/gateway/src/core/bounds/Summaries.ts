/** Conversations that the vendor summarizes by itself: how much that may cost. */
import { Predicate } from "effect"
import type { SummaryBound } from "../domain/pricing/Bound.ts"
import type { MostUsed } from "../domain/pricing/Pricing.ts"
import type { CallRequest } from "../operations/CallRequest.ts"

/** The tokens of a summary of a request that reads `input`; undefined where it is too short for one. */
export const summaryOf = (summary: SummaryBound | undefined, input: number): number | undefined =>
  summary === undefined || input < summary.above ? undefined : summary.tokens

/** A summary reads all that its round reads, and the round reads the summary in turn. */
export const withSummaries = (most: MostUsed, summary: number | undefined, rounds: number): MostUsed =>
  summary === undefined
    ? most
    : {
        ...most,
        input: 2 * most.input + summary * rounds,
        output: most.output + summary * rounds,
        audioInput: 2 * (most.audioInput ?? 0)
      }

interface Summarizing {
  readonly field: "compaction" | "context_management" | "input"
  /** Input tokens; shorter conversations are not summarized. */
  readonly above: number
}

/** Of `compact_20260112` without a trigger in the request. Unknown for later versions. */
const USUAL_TRIGGER = 150_000

/**
 * Whether the vendor may summarize the conversation, each time as a call of its own: with Anthropic's edits but those that clear, and with
 * OpenAI's compaction, which an item of the input may request as well. https://platform.claude.com/docs/en/build-with-claude/compaction,
 * https://platform.openai.com/docs/guides/compaction (2026-11-27).
 */
export const summarizing = ({
  compaction,
  context_management: managed,
  input
}: CallRequest["body"]): Summarizing | undefined => {
  if (Array.isArray(input) && input.some((item: unknown) => hasType(item, /^compaction_trigger$/))) {
    return { field: "input", above: 0 }
  }
  if (compaction !== undefined && compaction !== null) return { field: "compaction", above: 0 }
  const field = "context_management"
  const edits: unknown = Predicate.hasProperty(managed, "edits") ? managed.edits : managed
  if (edits === undefined || edits === null) return undefined
  if (!Array.isArray(edits)) return { field, above: 0 }
  const triggers = edits.flatMap((edit: unknown) => (hasType(edit, /^clear_/) ? [] : [triggerOf(edit)]))
  return triggers.length === 0 ? undefined : { field, above: Math.min(...triggers) }
}

const hasType = (edit: unknown, type: RegExp): edit is { readonly type: string } =>
  Predicate.hasProperty(edit, "type") && typeof edit.type === "string" && type.test(edit.type)

const triggerOf = (edit: unknown): number => {
  if (hasType(edit, /^compaction$/))
    return countOr(0, Predicate.hasProperty(edit, "compact_threshold") && edit.compact_threshold)
  if (!hasType(edit, /^compact_20260112$/)) return 0
  const trigger = Predicate.hasProperty(edit, "trigger") ? edit.trigger : undefined
  if (trigger === undefined || trigger === null) return USUAL_TRIGGER
  return hasType(trigger, /^input_tokens$/) ? countOr(0, Predicate.hasProperty(trigger, "value") && trigger.value) : 0
}

const countOr = (otherwise: number, value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : otherwise
