/** What a server does once it listens, beside its first requests. */
import { Effect } from "effect"
import { loadTokenizer } from "../../core/operations/Tokens.ts"
import { started } from "./Heap.ts"
import { collectWhenQuiet, processHeap } from "./QuietHeap.ts"

/** The tokenizer is loaded then, and not with the first stream that breaks off. */
export const settleIn = Effect.sync(started).pipe(
  Effect.andThen(Effect.delay(loadTokenizer, "1 second")),
  Effect.andThen(processHeap),
  Effect.flatMap(collectWhenQuiet)
)
