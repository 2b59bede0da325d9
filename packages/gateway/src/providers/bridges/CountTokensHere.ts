/** Counts the tokens of a request where the provider has no count of its own. The response says that it is an estimate. */
import { Effect, Result } from "effect"
import { countInput } from "../../core/bounds/Estimate.ts"
import { mediaTokens } from "../../core/bounds/MediaTokens.ts"
import { noUsage } from "../../core/domain/Usage.ts"
import { measure } from "../../core/media/Measure.ts"
import type { LiftedAnswer } from "../../core/operations/LiftedAnswer.ts"
import type { Bridge } from "./Bridge.ts"

export const CountTokensHere: Bridge = {
  from: "count_tokens",
  to: "chat",
  here: Effect.fnUntraced(function* ({ deployment, request }) {
    const measures = yield* measure(request.media, undefined)
    const { audio, input } = mediaTokens(request, deployment, measures, false)
    const tokens = yield* countInput(request, deployment, input + audio)
    const answer: LiftedAnswer = { body: { input_tokens: tokens, gateway: { estimated: true } }, usage: noUsage }
    return answer
  }),
  // Nothing is sent.
  down: Result.succeed,
  up: (answer) => answer,
  upStream: () => ({ push: (event) => [event], end: () => [] })
}

/** The same for a response, which a deployment without Responses serves through chat. */
export const InputTokensHere: Bridge = { ...CountTokensHere, from: "input_tokens", to: "responses" }
