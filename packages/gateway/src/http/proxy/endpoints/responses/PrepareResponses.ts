/** What happens before a call of `/v1/responses`: the conversation is put together. And after it: the response is stored. */
import { Effect } from "effect"
import type { CallInput } from "../../../../core/call/CallInput.ts"
import type { CallRequest } from "../../../../core/operations/CallRequest.ts"
import { withMetadata } from "../../../../core/operations/responses/ResponsesAnswerText.ts"
import { makeContinuation } from "../../../../core/responses/Continuation.ts"
import { itemsOf, withIds } from "../../../../core/responses/ResponseItems.ts"
import type { HeldBytes } from "../../../../core/limits/BytesInFlight.ts"
import { ResponseStore } from "../../../../core/responses/ResponseStore.ts"
import type { Caller } from "../../../../core/keys/Caller.ts"
import type { EndpointOptions } from "../../../routing/Endpoint.ts"

/** The endpoint's `prepare`. */
export const prepareResponses = Effect.fnUntraced(function* ({ maxBodyBytes }: EndpointOptions) {
  const store = yield* ResponseStore
  const continuation = yield* makeContinuation

  return Effect.fnUntraced(function* (asked: CallRequest, { key }: Caller, held: HeldBytes) {
    const { own, previous, request } = yield* continuation(asked, key.id, { held, maxBytes: maxBodyBytes })
    if (asked.body["store"] === false) return { request }
    // The answer says what became of it.
    if (!store.isOn) return { request: { ...request, body: { ...request.body, store: false } } }
    const keep: CallInput["keep"] = (answer, usage, report, masked) => {
      const { id } = answer
      if (typeof id !== "string") return Effect.succeed(true)
      return store.save({
        id,
        keyId: key.id,
        parent: previous,
        // What guardrails masked is not stored either.
        input: withIds(
          masked === undefined || own.length === 0 ? own : itemsOf(masked.body["input"]).slice(-own.length)
        ),
        answer: withMetadata(answer, usage, report)
      })
    }
    return { request, keep }
  })
})

/** The same for `/v1/responses/compact`, whose answers are not stored: they are the caller's next input. */
export const prepareCompaction = ({ maxBodyBytes }: EndpointOptions) =>
  Effect.map(
    makeContinuation,
    (continuation) => (asked: CallRequest, caller: Caller, held: HeldBytes) =>
      Effect.map(continuation(asked, caller.key.id, { held, maxBytes: maxBodyBytes }), ({ request }) => ({ request }))
  )
