/** What a server does beside its first requests. */
import { Effect } from "effect"
import { loadTokenizer } from "../../core/operations/Tokens.ts"
import { collectWhenQuiet, processHeap } from "./QuietHeap.ts"

/** The tokenizer is loaded now, and not with the first stream that breaks off. */
export const settleIn = Effect.andThen(loadTokenizer, Effect.flatMap(processHeap, collectWhenQuiet))
