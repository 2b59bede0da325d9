/**
 * What speech costs: by the character of its text, or by the token of text and sound. Which of the two a deployment bills, its prices say.
 */
import { Effect } from "effect"
import { zeroBound } from "../../domain/pricing/Bound.ts"
import type { Deployment } from "../../domain/Deployment.ts"
import { Unsupported } from "../../domain/Failures.ts"
import { cannot } from "../../domain/pricing/Pricing.ts"
import { noUsage } from "../../domain/Usage.ts"
import type { Billing } from "../CallRequest.ts"
import { countTokens } from "../Tokens.ts"

/** Tokens of sound for each character, for estimates: slow speech has about ten characters and twenty tokens a second. */
const SPOKEN_PER_CHARACTER = 2

/** Characters as people count them, not as JavaScript does. */
export const charactersIn = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Undefined: its prices are unknown. */
export const speechUnit = ({ price }: Deployment): "character" | "token" | undefined => {
  if (price === undefined) return undefined
  const { characters, output } = price.ratesAt(0).base
  if (!Number.isNaN(characters)) return "character"
  return Number.isNaN(output) ? undefined : "token"
}

/** `input` is spoken; `text`: with the instructions; `textBound`: an upper bound of its tokens. */
export const speechBilling = (input: string, text: string, textBound: number): Billing => ({
  bound: (deployment) => {
    const { contextWindow: window, id, maxOutputTokens = window } = deployment
    if (maxOutputTokens === undefined && speechUnit(deployment) === "token") {
      return new Unsupported({
        param: "model",
        code: "cost_unbounded",
        message: `a budget requires a known maximum cost, and the gateway does not know how much ${id} may speak. The operator can set it in the deployment's \`max_output_tokens\``
      })
    }
    return {
      ...zeroBound,
      input: textBound,
      unlimitedOutput: maxOutputTokens ?? 0,
      units: { characters: charactersIn(input) },
      cannot: cannot.cache
    }
  },
  unpriced: (_, sheet) => {
    const { characters, input, output } = sheet.ratesAt(0).base
    if (!Number.isNaN(characters)) return undefined
    if (Number.isNaN(output)) return "characters"
    return Number.isNaN(input) ? "input" : undefined
  },
  estimate: (deployment, _produced) => {
    const characters = charactersIn(input)
    if (speechUnit(deployment) !== "token") return Effect.succeed({ ...noUsage, characters })
    return Effect.map(countTokens(text, deployment.protocol), (tokens) => ({
      ...noUsage,
      input: tokens,
      output: characters * SPOKEN_PER_CHARACTER
    }))
  }
})
