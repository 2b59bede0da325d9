/**
 * What is asked and answered in every bench: one chat request, one completion and one stream of fixed size, in the shapes that
 * OpenAI's API writes, and what each of them costs.
 */

/** The name callers use: `<provider>/<model>`. The upstream knows it by its second part. */
export const MODEL = "up/gpt-4.1"
/** The same, but the upstream takes its time between the events of a stream. */
export const PACED_MODEL = "up/paced"
export const PACE_MS = 10
/** The same, but the upstream thinks for a while before it answers, as real ones do. */
export const SLOW_MODEL = "up/slow"
export const SLOW_MS = 200

/** USD per million tokens. */
export const PRICE = { input: 2, output: 8 }

const PROMPT_TOKENS = 182
const COMPLETION_TOKENS = 200

/** What every request of every bench costs, plain or streamed, in nano-USD: the prices are whole nano-USD per token. */
export const COST_NANO = PROMPT_TOKENS * PRICE.input * 1000 + COMPLETION_TOKENS * PRICE.output * 1000

export const FIVE_HEADERS = [
  "x-gateway-decision",
  "x-gateway-route-bucket",
  "x-gateway-route-score",
  "x-gateway-cost-usd",
  "x-gateway-retries"
]

const WORDS =
  "the fleet answered within its limits while every request was counted and each reply kept its own ledger row so that " +
  "no sum is a guess and a reader who asks what a call did cost can be told to the last digit"

const words = WORDS.split(" ")

/** Content events of a stream: one word each. */
export const CONTENT_EVENTS = 200
/** What a stream ends with. */
export const END_MARK = "data: [DONE]\n\n"

const pieces = Array.from({ length: CONTENT_EVENTS }, (_, index) => `${words[index % words.length]} `)

/** The content of every answer, plain or streamed. */
export const CONTENT = pieces.join("")

const messages = [
  {
    role: "system",
    content:
      "You are a careful assistant for the operators of a large fleet of services. Answer in plain words, name the source of " +
      "every figure, and say so when you do not know."
  },
  {
    role: "user",
    content:
      "Summarise yesterday's incident for people who were not on call: what happened, who was affected and for how long, what " +
      "we changed since, and which of the open questions need a decision this week. Keep it under two hundred words."
  }
]

/** The body of a request, as a client's SDK writes it. */
export const requestBody = (model: string, stream: boolean): string =>
  JSON.stringify({
    model,
    messages,
    temperature: 0.2,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {})
  })

const usage = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: COMPLETION_TOKENS,
  total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0
  }
}

const named = { id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", created: 1741569952, model: "gpt-4.1-2025-04-14" }
const made = { service_tier: "default", system_fingerprint: "fp_b376dfbbd5" }

export const COMPLETION: string = JSON.stringify({
  ...named,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: CONTENT, refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: "stop"
    }
  ],
  usage,
  ...made
})

const chunk = (delta: object, index: number, finish: string | null): string =>
  `data: ${JSON.stringify({
    ...named,
    object: "chat.completion.chunk",
    ...made,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
    obfuscation: "k3Qz81LmWv".slice(0, 3 + (index % 8))
  })}\n\n`

/** Every event of a stream, in order: the role, the content, the finish, the usage, the end mark. */
export const STREAM_EVENTS: ReadonlyArray<string> = [
  chunk({ role: "assistant", content: "", refusal: null }, 0, null),
  ...pieces.map((content, index) => chunk({ content }, index, null)),
  chunk({}, 1, "stop"),
  `data: ${JSON.stringify({ ...named, object: "chat.completion.chunk", ...made, choices: [], usage })}\n\n`,
  END_MARK
]

const usual = { model: MODEL, temperature: 0.2, stream: true }
const [system, user] = messages

/** What is asked and answered at an endpoint. `textOf`: the piece of text in one event of a stream. */
interface Shape {
  readonly path: string
  /** The body of a stream's request. */
  readonly body: string
  /** Events of a stream; left out: as many as the bridge makes. */
  readonly events?: number
  /** What the last event of a stream holds. */
  readonly lastEvent: string
  readonly textOf: (event: {
    readonly type?: string
    readonly delta?: string | { readonly text?: string }
    readonly choices?: ReadonlyArray<{ readonly delta: { readonly content?: string } }>
  }) => string
}

export type ShapeName = "chat" | "responses" | "messages"

export const shapes: { readonly [Name in ShapeName]: Shape } = {
  chat: {
    path: "/v1/chat/completions",
    body: requestBody(MODEL, true),
    events: STREAM_EVENTS.length,
    lastEvent: "[DONE]",
    textOf: ({ choices }) => choices?.[0]?.delta.content ?? ""
  },
  responses: {
    path: "/v1/responses",
    body: JSON.stringify({ ...usual, input: messages, store: false }),
    lastEvent: '"type":"response.completed"',
    textOf: ({ delta, type }) => (type === "response.output_text.delta" && typeof delta === "string" ? delta : "")
  },
  messages: {
    path: "/v1/messages",
    body: JSON.stringify({ ...usual, max_tokens: 1000, system: system?.content, messages: [user] }),
    lastEvent: '"type":"message_stop"',
    textOf: ({ delta }) => (typeof delta === "object" ? (delta.text ?? "") : "")
  }
}
