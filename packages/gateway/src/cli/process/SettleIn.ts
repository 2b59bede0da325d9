/** What a server does beside its first requests. */
import { Effect } from "effect"
import { countTokens } from "../../core/operations/Tokens.ts"
import { collectWhenQuiet, processHeap } from "./QuietHeap.ts"

/** The tokenizer takes 200 ms and 70 MB to load, of which it keeps 16: now, and not with the first stream that breaks off. */
export const settleIn = Effect.suspend(() =>
  Effect.andThen(countTokens("now", "openai-chat"), Effect.flatMap(processHeap, collectWhenQuiet))
)
