/** The demo models' words: what somebody reads who has just started the gateway for the first time. */
import { attachments, promptOf, textOf, type DemoRequest } from "./DemoRequest.ts"

const greetings = ["Hello!", "Hi there!", "Good to hear from you!", "Welcome!"]

const NEXT_STEP =
  "To talk to a real model, set OPENAI_API_KEY or ANTHROPIC_API_KEY, run `model-gateway init` to write a gateway.yaml, " +
  "then `model-gateway serve`."

/** The answer of one choice; the same for the same request, different between choices. */
export const proseFor = (request: DemoRequest, model: string, choice: number): string => {
  const of = request.n ?? 1
  const greeting = greetings[choice % greetings.length]
  const which = of > 1 ? ` (This is answer ${choice + 1} of ${of}.)` : ""
  const introduction = `${greeting}${which} I am “${model}”, the demo model built into this gateway.`
  const about = [introduction, aboutPrompt(request), aboutTools(request)]
    .filter((sentence) => sentence !== "")
    .join(" ")
  if (model === "mini") return `${about} ${NEXT_STEP}`
  return `${about}\n\n${aboutPath(request, model)}\n\n${NEXT_STEP}`
}

/** What a model that thinks aloud thinks: the more effort was asked for, the more; nothing for `none`. */
export const reasoningFor = (request: DemoRequest): string => {
  const prompt = excerpt(promptOf(request), 80)
  const thoughts = [
    `The user writes “${prompt}”.`,
    "I am a demo model, so I can't work out a real answer, but I can show how reasoning looks on the wire.",
    "Reasoning comes first, in its own field, and is counted and priced on its own.",
    "Then comes the answer: a greeting, what I saw of the request, and how to reach a real model."
  ]
  switch (request.reasoning_effort) {
    case "none":
      return ""
    case "minimal":
      return thoughts.slice(0, 1).join(" ")
    case "low":
      return thoughts.slice(0, 2).join(" ")
    case "high":
    case "xhigh":
      return [...thoughts, "I have checked this twice, because high effort was asked for."].join(" ")
    default:
      return thoughts.join(" ")
  }
}

const aboutPrompt = (request: DemoRequest): string => {
  const prompt = promptOf(request)
  const message = request.messages.findLast((one) => one.role === "user")
  const files = message === undefined ? 0 : attachments(message)
  const words = prompt.split(/\s+/).filter((word) => word !== "").length
  const turn = request.messages.filter((one) => one.role === "user").length
  const attached = files === 0 ? "" : ` with ${counted(files, "attachment")}`
  if (words === 0) return `Your message came without text${attached}.`
  const where = turn > 1 ? `, message ${turn} of our conversation` : ""
  return `You wrote “${excerpt(prompt, 120)}”: ${counted(words, "word")}${attached}${where}.`
}

const aboutTools = (request: DemoRequest): string => {
  const result = request.messages.findLast((one) => one.role === "tool" || one.role === "user")
  return result?.role === "tool" ? `Your tool answered “${excerpt(textOf(result), 120)}”.` : ""
}

const aboutPath = (request: DemoRequest, model: string): string => {
  const way =
    "I am a script, so I can't answer you, but your request went the way every request goes: " +
    "key, limits, budget, routing, failover, ledger."
  if (model !== "large") return way
  const instructions = request.messages.some((one) => one.role === "system" || one.role === "developer")
  return (
    `${way} ${instructions ? "Your instructions came along" : "It came without instructions"}, ` +
    `with ${counted(request.tools?.length ?? 0, "tool")}. The response headers say where it went, what it cost and how ` +
    "often it was tried again; the ledger has the same to the nano-dollar."
  )
}

const counted = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? "" : "s"}`

/** On one line, with an ellipsis where it was cut. */
const excerpt = (text: string, longest: number): string => {
  const line = text
    .slice(0, 4 * longest)
    .replace(/\s+/g, " ")
    .trim()
  const characters = [...line]
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`
}
