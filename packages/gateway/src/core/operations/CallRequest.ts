/** A request as the caller sent it, and what the gateway must know. The unchanged body keeps unknown fields. */
import type { Effect } from "effect"
import type { MediaPart } from "../media/Contents.ts"
import type { Measures } from "../media/Measure.ts"
import type { Bound } from "../domain/pricing/Bound.ts"
import type { Choice } from "../domain/Choice.ts"
import type { Capability, Deployment, ProtocolName } from "../domain/Deployment.ts"
import type { Unsupported } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { PriceSheet } from "../domain/pricing/Pricing.ts"
import type { UnitCounts, Usage, UsageClass } from "../domain/Usage.ts"
import type { LongStrings } from "./LongStrings.ts"
import type { Produced } from "./ProducedText.ts"
import type { Upload } from "./RequestBody.ts"

export interface RoutedRequest {
  /** The fields of the body; of a form, its fields without the files. */
  readonly body: JsonObject
  /** The field that holds the conversation or the input: `messages`, `input`, `prompt`. */
  readonly contents: string
  readonly model: string
  /** The text of the last user message, which `auto` classifies. */
  readonly prompt: string
  /** The last user message also holds content that the classifier can't read: images, recordings, files, tokens. */
  readonly hasUnread: boolean
  /** The conversation's messages and items, including the last user message; empty where there are none. */
  readonly history: ReadonlyArray<unknown>
  readonly needs: ReadonlyArray<Capability>
  /** What it asks for, as bits of `Features.ts`. Left out: nothing that a rule is about. */
  readonly features?: number
  /** An estimate of the input tokens, for token limits and context windows. */
  readonly inputEstimate: number
  /** The part of it that is not text, guessed from the size of its files. */
  readonly mediaEstimate: number
  /** The caller's output limit in tokens for each choice; undefined if there is none; 0 where nothing is written. */
  readonly maxOutput: number | undefined
  /** The number of responses asked for (`n`), at least 1. */
  readonly choices: number
  /** Inputs that the model reads one by one: how many, and the longest in tokens; 0: the vendor splits long ones. */
  readonly separate?: { readonly count: number; readonly longest: number } | undefined
  /** How it is billed, where that is not by the tokens of its text and media alone. */
  readonly billing?: Billing
  /** The protocol whose vendors run the tools that this request names; bridges to others leave them out. Left out: all do. */
  readonly runsToolsAt?: ProtocolName
  /** What it says about the providers that may serve it. Left out: nothing. */
  readonly choice?: Choice
}

/** How a request is billed in units of its own. */
export interface Billing {
  /** The most that a deployment can bill for it. */
  readonly bound: (deployment: Deployment, measures: Measures) => Bound | Unsupported
  /** Closer units than those of the bound, by a count of all text; undefined where no count is sure. */
  readonly closerUnits?: (deployment: Deployment) => Effect.Effect<UnitCounts> | undefined
  /** A class that it may be billed in and that has no price; undefined where everything has one. */
  readonly unpriced: (deployment: Deployment, sheet: PriceSheet) => UsageClass | undefined
  /** Which of the other prices in the sheet (`serviceTiers`) hold for it. Left out, or undefined: the usual ones. */
  readonly variant?: (sheet: PriceSheet) => string | undefined
  /** The usage of a response whose provider reported none. */
  readonly estimate: (deployment: Deployment, produced: Produced) => Effect.Effect<Usage>
}

/** The fields of a request without messages whose response is not written: vectors, rankings, sound, pictures. */
export const unwritten = {
  stream: false,
  includeUsage: false,
  prompt: "",
  hasUnread: false,
  history: [],
  needs: [],
  media: [],
  mediaEstimate: 0,
  inputEstimate: 0,
  maxOutput: 0,
  choices: 1
} satisfies Partial<CallRequest>

export interface CallRequest extends RoutedRequest {
  /** Set only for a large body. */
  readonly long?: LongStrings
  readonly files?: ReadonlyArray<Upload>
  readonly stream: boolean
  /** The caller asked for the usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean
  /** An upper bound of its text tokens for any tokenizer, including what the API adds. */
  readonly textBound: number
  /** Its input came as so many tokens, not as text: there is nothing to count. */
  readonly tokens?: number | undefined
  readonly media: ReadonlyArray<MediaPart>
}
