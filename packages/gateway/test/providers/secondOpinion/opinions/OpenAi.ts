/** OpenAI: chat, and chats as responses. */
import { createOpenAI } from "@ai-sdk/openai"
import { type Exception, isAbsent, isAbsentThere, isOneText, NOT_HERE, type Opinion } from "../Opinion.ts"

const responsesAnyhow: ReadonlyArray<Exception> = [
  {
    at: /^input\[\d+\]\.content$/,
    when: isOneText("input_text"),
    why: "a text may be a string, as the caller has it, or a list of one part"
  },
  { at: /^store$/, when: ({ ours }) => ours === false, why: "OpenAI keeps nothing of what passes through" },
  {
    at: /^input\[\d+\]\.content\[\d+\]\.detail$/,
    when: ({ ours, theirs }) => ours === "auto" && theirs === undefined,
    why: "the specification requires `detail`; `auto` is what leaving it out means"
  }
]

export const openAi: ReadonlyArray<Opinion> = [
  {
    name: "OpenAI, chat completions",
    deployment: "openai/gpt-4o",
    sdk: (fetch) => createOpenAI({ apiKey: "k", fetch }).chat("gpt-4o"),
    exceptions: [{ at: /^reasoning_effort$/, when: isAbsent, why: NOT_HERE }]
  },
  {
    name: "OpenAI, responses",
    deployment: { provider: "openai", model: "gpt-4.1", operations: ["responses"] },
    sdk: (fetch) => createOpenAI({ apiKey: "k", fetch }).responses("gpt-4.1"),
    exceptions: responsesAnyhow
  },
  {
    name: "OpenAI, responses of a model that reasons",
    deployment: "openai/gpt-5-pro",
    sdk: (fetch) => createOpenAI({ apiKey: "k", fetch }).responses("gpt-5-pro"),
    exceptions: [
      ...responsesAnyhow,
      {
        at: /^input\[\d+\]\.role$/,
        when: ({ ours, theirs }) => ours === "system" && theirs === "developer",
        why: "`system` is the caller's word, which OpenAI reads as `developer` for these models"
      },
      {
        at: /^include$/,
        when: isAbsentThere,
        why: "without a store, thoughts can only go on in the next turn if they come back sealed"
      },
      {
        at: /^reasoning\.effort$/,
        when: ({ ours }) => ours === "high",
        why: "the model has one effort, which the SDK does not know"
      },
      {
        at: /^reasoning\.summary$/,
        when: isAbsent,
        why: "a chat has no field that asks for a summary of thoughts"
      }
    ]
  },
  {
    name: "OpenAI, chat completions of a model that reasons",
    deployment: "openai/gpt-5-mini",
    sdk: (fetch) => createOpenAI({ apiKey: "k", fetch }).chat("gpt-5-mini"),
    exceptions: [
      {
        at: /^messages\[\d+\]\.role$/,
        when: ({ ours, theirs }) => ours === "system" && theirs === "developer",
        why: "`system` is the caller's word, which OpenAI reads as `developer` for these models"
      },
      {
        at: /^stop$/,
        when: isAbsent,
        why: "OpenAI's models that reason refuse stop sequences: they are left out and named"
      }
    ]
  }
]
