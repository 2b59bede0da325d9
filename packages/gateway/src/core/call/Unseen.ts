/**
 * What a model may have written unseen in an answer that was never told whole: its reasoning, where it hides that, and all of an
 * answer that was to come at once. It is billed all the same, and nothing of it can be counted: only the time is known in which it
 * can have been written.
 */
import { Predicate } from "effect"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { costOf, outputThatFits } from "../domain/Pricing.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import { inputTokens, type Usage } from "../domain/Usage.ts"

/** Whether `deployment` may think about `request` without saying all of it. */
export const mayThink = ({ hidesReasoning }: Deployment, { body }: ChatRequest): boolean => {
  if (hidesReasoning === undefined) return false
  const effort = body["reasoning_effort"]
  if (hidesReasoning === "always") return effort !== "none"
  const thinking = body["thinking"]
  const isOn = Predicate.hasProperty(thinking, "type") && thinking.type !== "disabled"
  return isOn || (typeof effort === "string" && effort !== "" && effort !== "none")
}

/**
 * `usage`, of what was seen, with the tokens that `ms` of generating at `rate` (tokens a second, of each choice) may have made
 * beside; never more than was reserved.
 */
export const withUnseen = (
  usage: Usage,
  written: "reasoning" | "output",
  { at, deployment, maxOutput, reserved }: Reservation,
  request: ChatRequest,
  ms: number,
  rate: number
): Usage => {
  const limit = request.maxOutput ?? maxOutput ?? deployment.maxOutputTokens ?? Number.POSITIVE_INFINITY
  const made = Math.floor(Math.min((ms / 1000) * rate, limit) * request.choices)
  const { price } = deployment
  const paid =
    price === undefined
      ? made
      : Math.min(made, Math.max(0, outputThatFits(price, { input: inputTokens(usage) }, reserved, at)))
  const all = { ...usage, [written]: usage[written] + Math.max(0, paid - usage.output) }
  // Cheaper input leaves room for more output than the caller's limit: that is no reason to book more than was held.
  return price !== undefined && costOf(price, all, at) > reserved ? usage : all
}
