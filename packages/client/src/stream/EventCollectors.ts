/** Streams whose events have a `type`: Responses, Messages, pictures, transcripts, speech. */
import { type OutputText, withOutputText } from "../OutputText.ts"
import type { Transcript } from "../wire/Audio.ts"
import type { Message } from "../wire/Messages.ts"
import type { ResponseObject } from "../wire/Responses.ts"
import { type Collector, type Fields, isFields, placeOf } from "./Collector.ts"

/** An event by its `type`, with whatever else it has. */
export interface TypedEvent {
  readonly type: string
  readonly [field: string]: unknown
}

const knows = ({ type }: Fields): boolean => typeof type === "string"

const delta = (event: TypedEvent, type: string): string | undefined =>
  event.type === type && typeof event["delta"] === "string" ? event["delta"] : undefined

/** The last event holds the response. */
export const responseCollector = (): Collector<TypedEvent, ResponseObject & OutputText> => {
  let response: ResponseObject | undefined
  let isOver = false
  return {
    knows,
    add: (event) => {
      const isEnd = /^response\.(completed|incomplete|cancelled)$/.test(event.type)
      if (!isEnd && event.type !== "response.created") return
      if (isFields(event["response"])) response = event["response"] as unknown as ResponseObject
      isOver ||= isEnd
    },
    textOf: (event) => delta(event, "response.output_text.delta"),
    isOver: () => isOver,
    result: () => (response === undefined ? undefined : withOutputText(response))
  }
}

/** Events whose last one, `…completed` or `….done`, is the answer: it is given without its type. */
const lastEvent = <Final>(end: RegExp, text: string): Collector<TypedEvent, Final> => {
  let final: Final | undefined
  return {
    knows,
    add: (event) => {
      if (end.test(event.type)) final = event as unknown as Final
    },
    textOf: (event) => delta(event, text),
    isOver: () => final !== undefined,
    result: () => final
  }
}

export const transcriptCollector = (): Collector<TypedEvent, Transcript> =>
  lastEvent(/^transcript\.text\.done$/, "transcript.text.delta")

export const pictureCollector = (): Collector<TypedEvent, TypedEvent> => lastEvent(/^image_\w+\.completed$/, "")

export const speechCollector = (): Collector<TypedEvent, TypedEvent> => lastEvent(/^speech\.audio\.done$/, "")

/** A message, block by block. */
export const messageCollector = (): Collector<TypedEvent, Message> => {
  let message: Fields | undefined
  let isOver = false
  const blocks: Array<Fields> = []
  const inputs: Array<string> = []

  const take = (index: number, piece: Fields): void => {
    const block = (blocks[index] ??= {})
    for (const [from, to] of deltas) {
      if (typeof piece[from] === "string") block[to] = `${(block[to] as string | undefined) ?? ""}${piece[from]}`
    }
    if (typeof piece["partial_json"] === "string") inputs[index] = (inputs[index] ?? "") + piece["partial_json"]
    if (isFields(piece["citation"])) block["citations"] = [...((block["citations"] as []) ?? []), piece["citation"]]
  }

  return {
    knows,
    add: (event) => {
      const index = placeOf(event["index"])
      const piece = event["delta"]
      if (event.type === "message_start" && isFields(event["message"])) message = { ...event["message"] }
      else if (index === undefined) return
      else if (event.type === "content_block_start" && isFields(event["content_block"]))
        blocks[index] = { ...event["content_block"] }
      else if (event.type === "content_block_delta" && isFields(piece)) take(index, piece)
      else if (event.type === "message_delta" && message !== undefined) {
        const usage = { ...(message["usage"] as Fields | undefined), ...(event["usage"] as Fields | undefined) }
        message = { ...message, ...(isFields(piece) ? piece : {}), usage }
      } else if (event.type === "message_stop") isOver = true
    },
    textOf: ({ delta: piece, type }) =>
      type === "content_block_delta" && isFields(piece) && typeof piece["text"] === "string"
        ? piece["text"]
        : undefined,
    isOver: () => isOver,
    result: () =>
      message === undefined
        ? undefined
        : ({
            ...message,
            content: blocks.map((block, index) =>
              inputs[index] ? { ...block, input: readInput(inputs[index]) } : block
            )
          } as unknown as Message)
  }
}

const deltas = [
  ["text", "text"],
  ["thinking", "thinking"],
  ["signature", "signature"]
] as const

/** Of a message that broke off it may be half of a JSON. */
const readInput = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
