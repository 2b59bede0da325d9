/** Chat completions, and completions, put together from their chunks. */
import type { Answered } from "../Decision.ts"
import type { ChatCompletion, ChatCompletionChunk, Completion } from "../wire/Inference.ts"
import { type Collector, type Fields, isFields, placeOf } from "./Collector.ts"

/** A chunk of a completion: its choices have `text`. */
export type CompletionChunk = Answered<Completion>

interface Choice {
  readonly fields: Fields
  readonly message: Fields
  finished: boolean
}

/** `piece`: where a choice has its new part; a completion has it in the choice itself. */
const collector = <Event, Final>(piece: "delta" | undefined, object: string): Collector<Event, Final> => {
  const choices: Array<Choice> = []
  let envelope: Fields | undefined

  const choiceAt = (index: number): Choice =>
    (choices[index] ??= {
      fields: { index },
      message: piece === undefined ? {} : { role: "assistant" },
      finished: false
    })

  return {
    knows: (data) => Array.isArray(data["choices"]),
    add: (event) => {
      const { choices: came, gateway: _, ...rest } = event as Fields
      // Most chunks repeat the first one's envelope: only what is new is looked at.
      if (envelope === undefined || isFields(rest["usage"])) envelope = { ...envelope, ...withoutNull(rest) }
      for (const choice of came as ReadonlyArray<unknown>) {
        const place = isFields(choice) ? placeOf(choice["index"]) : undefined
        if (!isFields(choice) || place === undefined) continue
        const kept = choiceAt(place)
        const delta = piece === undefined ? { text: choice["text"] } : choice["delta"]
        if (isFields(delta)) merge(kept.message, delta)
        if (choice["logprobs"]) merge(kept.fields, { logprobs: choice["logprobs"] })
        if (typeof choice["finish_reason"] !== "string") continue
        kept.fields["finish_reason"] = choice["finish_reason"]
        kept.finished = true
      }
    },
    textOf: (event) => {
      for (const choice of (event as { readonly choices: ReadonlyArray<unknown> }).choices) {
        if (!isFields(choice) || (choice["index"] ?? 0) !== 0) continue
        const text = piece === undefined ? choice["text"] : (choice["delta"] as Fields | undefined)?.["content"]
        if (typeof text === "string") return text
      }
      return undefined
    },
    isOver: () => choices.length > 0 && choices.every((choice) => choice.finished),
    result: () =>
      envelope === undefined
        ? undefined
        : ({
            ...envelope,
            object,
            choices: choices
              .filter((choice) => choice !== undefined)
              .map(({ fields, message }) => ({ ...fields, ...(piece === undefined ? message : { message }) }))
          } as Final)
  }
}

export const chatCollector = (): Collector<ChatCompletionChunk, ChatCompletion> => collector("delta", "chat.completion")

export const completionCollector = (): Collector<CompletionChunk, Completion> => collector(undefined, "text_completion")

const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Fields that come whole each time they come. */
const whole = new Set(["id", "type", "role", "index"])

/** Texts and lists grow, objects are merged, list items that have an index are merged by it. */
const merge = (into: Fields, from: Fields): void => {
  for (const name in from) {
    const value = from[name]
    const had = into[name]
    // A name that would change every object.
    if (value === null || value === undefined || name === "__proto__") continue
    if (typeof value === "string" && typeof had === "string" && !whole.has(name)) into[name] = had + value
    else if (Array.isArray(value)) into[name] = mergeList(Array.isArray(had) ? had : [], value)
    else if (isFields(value)) merge((into[name] = isFields(had) ? had : {}) as Fields, value)
    else if (typeof value !== "string" || value !== "" || had === undefined) into[name] = value
  }
}

const mergeList = (into: Array<unknown>, from: ReadonlyArray<unknown>): Array<unknown> => {
  for (const item of from) {
    if (!isFields(item) || typeof item["index"] !== "number") {
      into.push(item)
      continue
    }
    const { index, ...rest } = item
    const place = placeOf(index)
    if (place === undefined) continue
    const had = into[place]
    const kept: Fields = isFields(had) ? had : {}
    merge(kept, rest)
    into[place] = kept
  }
  return into
}
