/** What `auto` asks about a request: how demanding it is. */
import { Context } from "effect"
import type { RoutedRequest } from "../operations/ChatRequest.ts"

export interface Classified {
  /** Rank of the prompt within the reference mix, 0 to 1, at most four decimals: 0.7 means 30 % of the mix needs a strong model more. */
  readonly score: number
  /** What moved it most, strongest first, in plain words and ranks: `code marks +0.12`. Holds nothing of the prompt. */
  readonly reasons: ReadonlyArray<string>
}

/** How demanding a request or a session is. */
export interface Demand {
  /** The index of its bucket, 0 the lowest. */
  readonly bucket: number
  readonly score: number
}

/** What is known of a request beside its messages. */
export interface SessionSoFar {
  /** The cut points between the buckets, ascending, as this caller prefers them. */
  readonly cutPoints: ReadonlyArray<number>
  /** How demanding the caller's session was last; undefined where it named no session, or a new one. */
  readonly last: () => Demand | undefined
}

export interface Assessment extends Demand {
  readonly reasons: ReadonlyArray<string>
  /** What a short message was taken for, in words; undefined: a message like any other. */
  readonly short: string | undefined
  /** The text that was classified; undefined where none was. Not to be kept. */
  readonly text: string | undefined
  /** How demanding the session is now; undefined where this request says nothing of it. */
  readonly session: Demand | undefined
}

/** What a feature of the prompt added to its score. */
export interface Contribution {
  /** In plain words. */
  readonly name: string
  /** What the prompt has of it, in the feature's own unit. */
  readonly value: number
  /** In ranks: 0.1 moves a typical prompt up by about a tenth of the reference mix. */
  readonly added: number
}

/** The model that scores now, and how the last attempt to replace it went. Times are epoch ms. */
export interface ModelInForce {
  readonly name: string
  /** `2026-11-21` */
  readonly date: string
  /** Undefined: the one that ships. */
  readonly file: string | undefined
  readonly loadedAt: number
  /** The file holds something else by now, which was refused. */
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
    /** The score of one text, and everything that made it, largest first. */
    readonly explain: (prompt: string) => {
      readonly score: number
      readonly contributions: ReadonlyArray<Contribution>
    }
    readonly model: () => ModelInForce
  }
>()("gateway/core/Classifier") {}
