/** The most that a request can be billed for at a deployment. */
import type { FeeClass, UnitCounts } from "../Usage.ts"

export interface Bound {
  /** Tokens read in one go, besides `audio`. */
  readonly input: number
  /** Tokens that are audio, or may be. */
  readonly audio: number
  /** The part of `input` that does not count in the context window. */
  readonly beyond: number
  /** Tokens on top of the output limit, for each choice. */
  readonly unlimitedOutput: number
  /** Output tokens of a choice that the output limit does not bound. */
  readonly wholeOutput: number | undefined
  /** Choices that the vendor may write for each requested choice. */
  readonly writes: number
  readonly tools: ToolBound | undefined
  /** The vendor may summarize the conversation before each round. Left out: it does not. */
  readonly summary?: SummaryBound | undefined
  /** The most of each class that is not counted in tokens or calls. */
  readonly units?: UnitCounts | undefined
  /** Classes of usage that this request can't cause, as in `MostUsed`. */
  readonly cannot?: number
  /** The part of `unlimitedOutput` that may be billed in one step: predicted text, images. Left out: 0. */
  readonly burst?: number
  /** Calls of the provider, among which the choices are shared out; the rest of the bound is that of one. Left out: 1. */
  readonly requests?: number
}

export interface SummaryBound {
  /** The most of one summary. */
  readonly tokens: number
  /** A conversation of fewer tokens is not summarized. */
  readonly above: number
}

/** Nothing beyond the output limit, which is binding. Bounds with more spread this and add it. */
export const zeroBound: Bound = {
  input: 0,
  audio: 0,
  beyond: 0,
  unlimitedOutput: 0,
  wholeOutput: undefined,
  writes: 1,
  tools: undefined
}

export interface ToolBound {
  readonly calls: { readonly [Fee in FeeClass]?: number }
  /** Uses without a fee: they cost only the tokens they read. */
  readonly unpaid: number
  /** Tools without a fee for which the gateway sets the number of uses. */
  readonly freeUnpaid: number
  /** Tools for which the gateway sets the number of uses, counted by their fee. */
  readonly free: { readonly [Fee in FeeClass]?: number }
  readonly mostUses: number
  /** A limit is sent to the vendor, even if the caller set one. */
  readonly hasLimits: boolean
  /** Tokens that one use adds to what every later round reads. */
  readonly tokens: number | undefined
  readonly window: number | undefined
  /** What a container costs, in containers of the usual size. Left out: 1. */
  readonly containers?: number
}
