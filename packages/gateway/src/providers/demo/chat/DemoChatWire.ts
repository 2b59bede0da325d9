/** Chat completions in OpenAI's form: one body, or one event per token. */

interface WireCall {
  readonly id: string
  readonly name: string
  /** Pieces of the JSON text. */
  readonly arguments: ReadonlyArray<string>
}

/** One choice, in the pieces it is streamed in. */
export interface DemoChoice {
  readonly reasoning: ReadonlyArray<string>
  readonly content: ReadonlyArray<string> | null
  readonly toolCalls: ReadonlyArray<WireCall>
  readonly finish: string | null
}

/** `input` holds the cached tokens, `output` the reasoning ones. */
export interface WireUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly reasoning?: number
}

export interface DemoCompletion {
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<DemoChoice>
  readonly usage: WireUsage | undefined
}

export interface DemoEvent {
  readonly text: string
  readonly tokens: number
}

export const completionBody = ({ id, created, model, choices, usage }: DemoCompletion): string =>
  JSON.stringify({
    id,
    object: "chat.completion",
    created,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: choice.finish
    })),
    ...(usage === undefined ? {} : { usage: usageBody(usage) })
  })

const messageOf = ({ reasoning, content, toolCalls }: DemoChoice) => ({
  role: "assistant",
  content: content === null ? null : content.join(""),
  refusal: null,
  ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join("") }),
  ...(toolCalls.length === 0
    ? {}
    : {
        tool_calls: toolCalls.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: call.arguments.join("") }
        }))
      })
})

const usageBody = ({ input, output, cached = 0, reasoning = 0 }: WireUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning }
})

/** The events of a stream, `[DONE]` included; choices take turns. */
export const completionEvents = (completion: DemoCompletion, includeUsage: boolean): ReadonlyArray<DemoEvent> => {
  const { id, created, model, choices, usage } = completion
  const base = { id, object: "chat.completion.chunk", created, model }
  const nothing = includeUsage ? { usage: null } : {}
  const event = (delta: Delta): DemoEvent => ({
    text: frame({
      ...base,
      choices: [{ index: delta.choice, delta: delta.delta, logprobs: null, finish_reason: delta.finish ?? null }],
      ...nothing
    }),
    tokens: delta.tokens
  })
  const events = inTurns(choices.map(deltasOf)).map(event)
  if (includeUsage && usage !== undefined) {
    events.push({ text: frame({ ...base, choices: [], usage: usageBody(usage) }), tokens: 0 })
  }
  events.push({ text: "data: [DONE]\n\n", tokens: 0 })
  return events
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

interface Delta {
  readonly choice: number
  readonly delta: object
  readonly tokens: number
  readonly finish?: string
}

const deltasOf = ({ reasoning, content, toolCalls, finish }: DemoChoice, choice: number): ReadonlyArray<Delta> => [
  { choice, delta: { role: "assistant", content: content === null ? null : "", refusal: null }, tokens: 0 },
  ...reasoning.map((piece) => ({ choice, delta: { reasoning_content: piece }, tokens: 1 })),
  ...(content ?? []).map((piece) => ({ choice, delta: { content: piece }, tokens: 1 })),
  ...toolCalls.flatMap(({ id, name, arguments: pieces }, index) => [
    { choice, delta: { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }, tokens: 1 },
    ...pieces.map((piece) => ({
      choice,
      delta: { tool_calls: [{ index, function: { arguments: piece } }] },
      tokens: 1
    }))
  ]),
  ...(finish === null ? [] : [{ choice, delta: {}, tokens: 0, finish }])
]

const inTurns = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): Array<A> => {
  if (lists.length === 1) return [...lists[0]!]
  const longest = Math.max(0, ...lists.map((one) => one.length))
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((one) => one.slice(turn, turn + 1))).flat()
}
