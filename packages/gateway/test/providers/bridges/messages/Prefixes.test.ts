/** What a turn becomes does not depend on later turns, so a prompt that grows keeps its cached beginning. */
import { assert, describe, it } from "@effect/vitest"
import { chatMessages } from "../../../../src/providers/bridges/messages/MessagesToChatConversation.ts"
import { noFacts } from "../../../../src/core/domain/models/ModelFacts.ts"
import { withThoughts } from "../../../../src/providers/protocols/openai/request/OpenAiChatThoughts.ts"
import { Losses } from "../../../../src/providers/protocols/shared/Losses.ts"

const used = { type: "tool_use", id: "t1", name: "ls", input: {} }
const thought = { type: "thinking", thinking: "I need ls.", signature: "c2lnbmVk" }
const signature = {
  type: "redacted_thinking",
  data: `gw1.dXA.Y2FsbA.{"google":{"thought_signature":"x"}}`
}
const result = { type: "tool_result", tool_use_id: "t1", content: "a.txt" }
const text = { type: "text", text: "Go on" }

/** One exchange: what the assistant says, and what the user says to it. */
const exchanges = [
  [[text], [text]],
  [
    [thought, used],
    [result, text]
  ],
  [[signature, used], [result]],
  [[thought], [text]],
  [[{ type: "server_tool_use", id: "s", name: "web_search", input: { query: "it" } }, text, used], [result]]
].map(([assistant, user]) => [
  { role: "assistant", content: assistant },
  { role: "user", content: user }
])

const hi = { role: "user", content: "Hi" }

const sent = (turns: ReadonlyArray<object>, needsThoughts: boolean): ReadonlyArray<unknown> => {
  const reader = { provider: "up", isNative: false, isMarked: false, needsThoughts }
  const messages = chatMessages({ system: "Be brief", messages: turns }, reader, new Losses(false))
  return (
    needsThoughts
      ? withThoughts(messages, { facts: { ...noFacts, protocol: { thoughtsWithCalls: "filled" } } })
      : messages
  ) as ReadonlyArray<unknown>
}

describe("a conversation of the Messages API", () => {
  for (const needsThoughts of [false, true]) {
    it(`begins the same at chat servers, however it goes on${needsThoughts ? ", with thoughts too" : ""}`, () => {
      for (const one of exchanges) {
        for (const two of exchanges) {
          for (const three of exchanges) {
            const turns = [hi, ...one, ...two, ...three]
            const whole = sent(turns, needsThoughts)
            for (const length of [1, 3, 5]) {
              const beginning = sent(turns.slice(0, length), needsThoughts)
              assert.deepStrictEqual(whole.slice(0, beginning.length), beginning)
            }
          }
        }
      }
    })
  }
})
