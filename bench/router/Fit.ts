/** Learning as `router train` does it, for protocols B and C. Only the order of the scores counts there, so nothing is calibrated. */
import { extract } from "../../packages/gateway/src/classifier/features/PromptFeatures.ts"
import { defaultSettings, fit as learnt } from "../../packages/router-lab/src/training/Learn.ts"
import { poolScore } from "../../packages/gateway/src/classifier/model/Model.ts"
import { scorerOf } from "../../packages/gateway/src/classifier/model/Tuned.ts"
import { wordsOf } from "../../packages/gateway/src/classifier/features/Words.ts"
import type { Fit } from "./Protocols.ts"

export const fit: Fit = (rows, prior, seed) => {
  const part = learnt(
    prior,
    rows.map(({ prompt, strong, weak }, group) => ({
      features: extract(prompt),
      words: wordsOf(prompt),
      gap: strong - weak,
      importance: 1,
      group
    })),
    seed,
    defaultSettings
  )
  const score = scorerOf(part, prior.linear)
  return (prompt) => {
    const [features, words] = [extract(prompt), wordsOf(prompt)]
    return score(poolScore(prior, features, words), features, words)
  }
}
