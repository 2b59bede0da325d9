/** The classifier that `auto` asks how demanding a request is. */
import { Context } from "effect"
import type { RoutedRequest } from "../operations/CallRequest.ts"

export interface Classified {
  /** The prompt's rank among reference prompts, 0 to 1, at most four decimals: 0.7 means that 30 % of them need a strong model more. */
  readonly score: number
  /** What changed the score most, strongest first, in words and ranks: `code marks +0.12`. Contains nothing of the prompt. */
  readonly reasons: ReadonlyArray<string>
  /** The five that changed the score most, strongest first; left out where there are none. */
  readonly features?: ReadonlyArray<Contribution>
}

/** How demanding a request or a session is. */
export interface Demand {
  /** The index of its bucket, 0 the lowest. */
  readonly bucket: number
  readonly score: number
}

/** What is known about a request besides its messages. */
interface SessionSoFar {
  /** The cut points between the buckets, ascending, moved by the caller's preference. */
  readonly cutPoints: ReadonlyArray<number>
  /** How demanding the caller's session was last; undefined if it named none, or a new one. */
  readonly last: () => Demand | undefined
}

export interface Assessment extends Demand {
  readonly reasons: ReadonlyArray<string>
  /** What changed the score most; left out where no text was scored. */
  readonly features?: ReadonlyArray<Contribution> | undefined
  /** What a short message was recognised as, in words; undefined: an ordinary message. */
  readonly short: string | undefined
  /** The classified text; undefined if there was none. Must not be kept. */
  readonly text: string | undefined
  /** How demanding the session is now; undefined where this request does not tell. */
  readonly session: Demand | undefined
}

/** The contribution of one feature to the score. */
export interface Contribution {
  /** In plain words. */
  readonly name: string
  /** The feature's value for this prompt, in its own unit. */
  readonly value: number
  /** In ranks: 0.1 moves a typical prompt up by about a tenth of the reference prompts. */
  readonly added: number
}

/** A contribution as a reason tells it: `code marks +0.12`. */
export const contributionInWords = ({ added, name }: Contribution): string =>
  `${name} ${added < 0 ? "-" : "+"}${Math.abs(added).toFixed(2)}`

/** The current model, and the last attempt to replace it. Times are epoch milliseconds. */
export interface ModelInForce {
  readonly name: string
  /** `2026-11-21` */
  readonly date: string
  /** Undefined: the built-in model. */
  readonly file: string | undefined
  readonly loadedAt: number
  /** Why the file's current content was refused. */
  readonly refused: { readonly at: number; readonly message: string } | undefined
}

export class Classifier extends Context.Service<
  Classifier,
  {
    /** Never fails. */
    readonly assess: (
      request: Pick<RoutedRequest, "prompt" | "hasUnread" | "history">,
      session: SessionSoFar
    ) => Assessment
    /** The score of one text with all contributions to it, largest first. */
    readonly explain: (prompt: string) => {
      readonly score: number
      readonly contributions: ReadonlyArray<Contribution>
    }
    readonly model: () => ModelInForce
  }
>()("gateway/core/Classifier") {}
