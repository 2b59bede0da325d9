/** Asking the demo vendor, and reading what it says. */
import { demoAnswer } from "../../../src/providers/demo/DemoAnswer.ts"
import type { DemoAnswer } from "../../../src/providers/demo/DemoPlayed.ts"

const decoder = new TextDecoder()

export const user = (content: unknown) => ({ role: "user", content })

export const toolMessage = (content: string) => ({ role: "tool", tool_call_id: "call_1", content })

export const tool = (name: string, parameters: object = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, parameters }
})

/** The answer to a chat request with these fields; `standard` and "hi" unless they say otherwise. */
export const ask = (fields: object = {}): DemoAnswer =>
  demoAnswer({
    path: "/chat/completions",
    body: JSON.stringify({ model: "standard", messages: [user("hi")], ...fields }),
    created: 1_700_000_000,
    before: () => 0
  })

export const textOf = (answer: DemoAnswer): string => answer.pieces.map((piece) => decoder.decode(piece.bytes)).join("")

/* eslint-disable-next-line typescript/no-explicit-any */
export const jsonOf = (answer: DemoAnswer): any => JSON.parse(textOf(answer))

/** The JSON of a stream's events; the end mark, which must be the last, is left out. */
/* eslint-disable-next-line typescript/no-explicit-any */
export const eventsOf = (text: string): ReadonlyArray<any> => {
  const frames = text.split("\n\n")
  if (frames.pop() !== "" || frames.pop() !== "data: [DONE]") throw new Error("no end mark")
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, "")))
}
