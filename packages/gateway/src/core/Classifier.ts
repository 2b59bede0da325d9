/** What `auto` asks about a prompt. */
import { Context } from "effect"

export class Classifier extends Context.Service<
  Classifier,
  {
    /** `score`: the prompt's rank, 0 to 1, among reference prompts; higher needs a stronger model. Never fails. */
    readonly classify: (prompt: string) => { readonly score: number; readonly reasons: ReadonlyArray<string> }
    /** The bucket of a score; a score equal to a cut point belongs to the bucket above. */
    readonly bucketOf: (score: number, buckets: ReadonlyArray<string>, cutPoints: ReadonlyArray<number>) => string
  }
>()("gateway/core/Classifier") {}
