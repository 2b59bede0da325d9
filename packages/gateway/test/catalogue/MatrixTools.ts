/** Rows of the matrix: tools, and how much to reason. */
import {
  calls,
  chatOf,
  chatTools,
  type Feature,
  hasEffort,
  isOff,
  messagesOf,
  messagesTools,
  offers,
  responsesOf,
  responsesTools,
  says,
  thinks
} from "./MatrixWords.ts"
import type { Loose, Seen } from "./refusing/Seen.ts"

export const EFFORT = /reasoning|effort|thinking/

export const inChat = (effort: string): Loose => ({ reasoning_effort: effort })
export const inResponses = (effort: string): Loose => ({ reasoning: { effort } })
export const inMessages = (effort: string): Loose => ({ thinking: { type: "adaptive" }, output_config: { effort } })

export const efforts: ReadonlyArray<Feature> = [
  ...["minimal", "low", "medium", "high", "xhigh", "max"].map((effort): Feature => ({
    name: `effort ${effort}`,
    chat: chatOf(inChat(effort)),
    responses: responsesOf(inResponses(effort)),
    ...(effort === "minimal" ? {} : { messages: messagesOf(inMessages(effort)) }),
    arrives: hasEffort(effort),
    lost: EFFORT,
    problem: says
  })),
  {
    name: "effort none",
    chat: chatOf(inChat("none")),
    responses: responsesOf(inResponses("none")),
    messages: messagesOf({ thinking: { type: "disabled" } }),
    arrives: isOff,
    lost: EFFORT,
    problem: says
  },
  {
    name: "thinking off, effort max",
    messages: messagesOf({ thinking: { type: "disabled" }, output_config: { effort: "max" } }),
    arrives: (seen) => isOff(seen) || seen.effort === "max",
    lost: EFFORT,
    problem: says
  },
  {
    name: "thinking budget",
    messages: messagesOf({ thinking: { type: "enabled", budget_tokens: 3000 } }),
    arrives: (seen) => seen.effort !== undefined || thinks(seen),
    lost: EFFORT,
    problem: says
  }
]

export const withTools = (more: { chat?: Loose; responses?: Loose; messages?: Loose } = {}) => ({
  chat: chatOf({ tools: chatTools, ...more.chat }),
  responses: responsesOf({ tools: responsesTools, ...more.responses }),
  messages: messagesOf({ tools: messagesTools, ...more.messages })
})

const REQUIRED = {
  chat: { tool_choice: "required" },
  responses: { tool_choice: "required" },
  messages: { tool_choice: { type: "any" } }
}

const isForced = ({ choice }: Seen): boolean => choice === "any" || choice === "named"
const isNamed = ({ choice, functions }: Seen): boolean =>
  choice === "named" || (choice === "any" && functions.length === 1)

export const tools: ReadonlyArray<Feature> = [
  { name: "tools", ...withTools(), arrives: offers, lost: /tools/, problem: calls },
  { name: "forced tool", ...withTools(REQUIRED), arrives: isForced, lost: /tool_choice/, problem: calls },
  {
    name: "named tool",
    ...withTools({
      chat: { tool_choice: { type: "function", function: { name: "look" } } },
      responses: { tool_choice: { type: "function", name: "look" } },
      messages: { tool_choice: { type: "tool", name: "look" } }
    }),
    arrives: isNamed,
    lost: /tool_choice/,
    problem: calls
  },
  {
    name: "tools, none to be used",
    ...withTools({
      chat: { tool_choice: "none" },
      responses: { tool_choice: "none" },
      messages: { tool_choice: { type: "none" } }
    }),
    arrives: ({ choice, functions }) => choice === "none" || functions.length === 0,
    lost: /tool_choice/,
    problem: says
  },
  {
    name: "tools, effort high",
    ...withTools({ chat: inChat("high"), responses: inResponses("high"), messages: inMessages("high") }),
    arrives: (seen) => offers(seen) && hasEffort("high")(seen),
    lost: EFFORT,
    problem: calls
  },
  {
    name: "tools, effort none",
    ...withTools({
      chat: inChat("none"),
      responses: inResponses("none"),
      messages: { thinking: { type: "disabled" } }
    }),
    arrives: (seen) => offers(seen) && isOff(seen),
    lost: EFFORT,
    problem: calls
  },
  {
    name: "forced tool, effort high",
    ...withTools({
      chat: { ...REQUIRED.chat, ...inChat("high") },
      responses: { ...REQUIRED.responses, ...inResponses("high") },
      messages: { ...REQUIRED.messages, ...inMessages("high") }
    }),
    arrives: (seen) => isForced(seen) && hasEffort("high")(seen),
    lost: /tool_choice|reasoning|effort|thinking/,
    problem: calls
  },
  {
    name: "forced tool, thinking budget",
    messages: messagesOf({
      tools: messagesTools,
      tool_choice: { type: "any" },
      thinking: { type: "enabled", budget_tokens: 3000 }
    }),
    arrives: (seen) => isForced(seen) && (seen.effort !== undefined || thinks(seen)),
    lost: /tool_choice|reasoning|effort|thinking/,
    problem: calls
  }
]
