/** Counts the tokens of a request where the provider has no count of its own. The answer says that it is an estimate. */
import { Effect, Result } from "effect"
import { countInput } from "../../core/bounds/Estimate.ts"
import { mediaTokens } from "../../core/bounds/MediaTokens.ts"
import { noUsage } from "../../core/domain/Usage.ts"
import { measure } from "../../core/media/Measure.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { LiftedAnswer } from "../../core/operations/LiftedAnswer.ts"
import type { Bridge } from "./Bridge.ts"

/** `to`: what a deployment has to serve. */
export const countHere = (from: "count_tokens" | "input_tokens", to: OperationName): Bridge => ({
  from,
  to,
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
})
