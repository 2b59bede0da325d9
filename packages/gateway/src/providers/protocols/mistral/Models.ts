/**
 * How much its models can be told to reason. The lists are those of `mistral-model-catalog.ts` in `@ai-sdk/mistral` 4.0.87, which took
 * them from https://api.mistral.ai/v1/models (2026-10-06) and https://docs.mistral.ai/studio/conversations/reasoning (2026-10-26).
 */
import { nearestEffort } from "../shared/Efforts.ts"

export const cantReason =
  /^(?:codestral|ministral|mistral-code|mistral-large-(?:latest|2)|voxtral|open-|mistral-tiny|pixtral)/

/** The first that matches counts. */
const EFFORTS: ReadonlyArray<readonly [model: RegExp, efforts: ReadonlyArray<string>]> = [
  [/^zai-glm-(?:5$|5-3|latest)/, ["low", "high", "max"]],
  [/^mistral-large-4/, ["low", "medium", "high"]],
  [
    /^(?:glm-5-2|zai-glm-5-2|magistral-|mistral-medium|mistral-small-(?:2603|latest)|mistral-vibe|labs-leanstral)/,
    ["none", "high"]
  ]
]

/** The nearest effort that the model has; what was asked for where its efforts are unknown. */
export const effortFor = (model: string, asked: string): string =>
  nearestEffort(asked, EFFORTS.find(([match]) => match.test(model))?.[1])
