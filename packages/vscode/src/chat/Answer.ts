/** The chunks of a streamed answer, as the pieces that the editor shows. */
import { randomUUID } from "node:crypto"
import type { ChatCompletionChunk } from "@model-gateway/client"
import type { Piece } from "./Turns.ts"

interface Growing {
  id: string
  name: string
  arguments: string
}

/** An answer that the editor must not take for a whole one. */
export class Unusable extends Error {}

/** Tool calls come in fragments, and are given on when they are whole. */
export class Answer {
  readonly #calls = new Map<number, Growing>()
  #finish: string | undefined
  #hasText = false

  /** The pieces that a chunk completes. */
  read({ choices, usage }: ChatCompletionChunk): ReadonlyArray<Piece> {
    const pieces: Array<Piece> = []
    const choice = choices.find(({ index }) => (index ?? 0) === 0)
    if (typeof choice?.finish_reason === "string") this.#finish = choice.finish_reason
    const { content, reasoning_content, refusal, tool_calls } = choice?.delta ?? {}
    if (reasoning_content) pieces.push({ kind: "thinking", text: reasoning_content })
    for (const text of [content, refusal]) {
      if (!text) continue
      this.#hasText = true
      pieces.push({ kind: "text", text })
    }
    for (const fragment of tool_calls ?? []) this.#grow(fragment)
    if (usage) pieces.push({ kind: "usage", usage })
    return pieces
  }

  /** The calls, when the stream is whole. Throws where the model left one unfinished. */
  end(): ReadonlyArray<Piece> {
    const calls = [...this.#calls.values()].map((call): Piece => {
      const { id, name } = call
      return { kind: "call", id: id === "" ? `call_${randomUUID()}` : id, name, input: this.#inputOf(call) }
    })
    if (calls.length === 0 && !this.#hasText && this.#finish === "content_filter") {
      throw new Unusable("The provider's content filter let nothing of the answer through.")
    }
    if (calls.length === 0 && !this.#hasText && this.#finish === "length") {
      throw new Unusable(
        "The model reached its most tokens before it said anything. Ask for less, or for less thinking."
      )
    }
    return calls
  }

  /** The answer ends where the model had to stop. */
  get isCut(): boolean {
    return this.#finish === "length"
  }

  #grow(fragment: NonNullable<ChatCompletionChunk["choices"][number]["delta"]["tool_calls"]>[number]): void {
    const index = fragment.index ?? 0
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" }
    this.#calls.set(index, call)
    if (typeof fragment.id === "string" && fragment.id !== "") call.id = fragment.id
    call.name += fragment.function?.name ?? ""
    call.arguments += fragment.function?.arguments ?? ""
  }

  #inputOf(call: Growing): object {
    if (call.arguments.trim() === "") return {}
    const input = parsed(call.arguments)
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return input
    // A tool that ran with half of its input could do harm.
    throw new Unusable(
      this.isCut
        ? `The model reached its most tokens within a call of ${call.name}.`
        : `The model called ${call.name} with an input that is no JSON object. Ask once more.`
    )
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
