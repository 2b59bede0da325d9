/** What `auto` asks about a prompt. */
import { Context } from "effect"

export interface Classified {
  /** Rank of the prompt within the reference mix, 0 to 1, at most four decimals: 0.7 means 30 % of the mix needs a strong model more. */
  readonly score: number
  /** What moved it most, strongest first, in plain words and ranks: `code marks +0.12`. Holds nothing of the prompt. */
  readonly reasons: ReadonlyArray<string>
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
    readonly classify: (prompt: string) => Classified
    /** The same score, and everything that made it, largest first. */
    readonly explain: (prompt: string) => {
      readonly score: number
      readonly contributions: ReadonlyArray<Contribution>
    }
    readonly model: () => ModelInForce
  }
>()("gateway/core/Classifier") {}
