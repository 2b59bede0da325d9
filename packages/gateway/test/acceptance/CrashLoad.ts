/** The load of the crash runs: a provider whose answers all cost something else, and clients that remember what they were told. */
import { type Asked, type Reply, completion, completionEvents } from "../support/Upstream.ts"

/** USD per million tokens, for the configuration. */
export const price = { input: 1, output: 2 }

/** What a request saw of its answer. */
export interface Told {
  /** The request's own tag. */
  readonly tag: string
  readonly stream: boolean
  /** In nano-USD; undefined when the answer did not come to its end. */
  readonly cost: number | undefined
  /** The cache gave it. */
  readonly isHit: boolean
  /** What is wrong with a response that came to its end. */
  readonly problem: string | undefined
}

/** One in so many is never answered, from the seventh on: whatever the machine, a kill comes in the middle of something. */
const STUCK = 97
const isStuck = (number: number): boolean => number % STUCK === 7

const tagOf = (number: number): string => `n${number}`

/** With a cache there are so few requests that each comes again and again, and one of them is never answered. */
export const askedOf = (number: number, isCached: boolean): number => (isCached ? number % STUCK : number)
export const askedTag = (tag: string, isCached: boolean): string => tagOf(askedOf(Number(tag.slice(1)), isCached))

/** Which end user and which session a request is of. */
export const scopesOf = (tag: string) => {
  const number = Number(tag.slice(1))
  return { endUser: `user-${number % 3}`, session: `session-${number % 5}` }
}

/** So that two that are asked for in the same second never cost the same, and none costs more than it may. */
const usageOf = (number: number) => {
  const prompt_tokens = 10 + (number % 89)
  const completion_tokens = 1 + (number % 31)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

/** What it charges for an answer, in nano-USD, whether that arrives or not. */
const billOf = (number: number): number => {
  const { completion_tokens, prompt_tokens } = usageOf(number)
  return 1_000 * (price.input * prompt_tokens + price.output * completion_tokens)
}

/** By the tags of the requests; what is never answered is not charged. */
export type Bill = Map<string, number>

/** Counted by the number in the prompt. A few milliseconds, so that many are under way. */
export const provider =
  (bill: Bill) =>
  ({ body }: Asked): Reply => {
    const number = Number(/\d+$/.exec(body.messages[0].content)?.[0])
    if (isStuck(number)) return { gate: new Promise(() => {}) }
    const tag = tagOf(number)
    bill.set(tag, (bill.get(tag) ?? 0) + billOf(number))
    const usage = usageOf(number)
    if (body.stream !== true) return { delay: number % 17, body: completion(`one ${number} two`, { usage }) }
    const events = completionEvents(`one ${number} `, "two").map((text) =>
      text.includes('"choices":[],') ? text.replace(/"usage":\{[^}]*\}/, `"usage":${JSON.stringify(usage)}`) : text
    )
    return { delay: number % 13, body: events }
  }

export interface Client {
  /** Where it may ask: somewhere else whenever an answer did not come. */
  readonly urls: ReadonlyArray<string>
  /** Which of them it asks first. */
  readonly first: number
  readonly key: string
  readonly next: () => number
  readonly isCached: boolean
  /** What each request was told. */
  readonly told: (what: Told) => void
  /** Then it asks no more, and waits for no answer that never comes. */
  readonly over: AbortSignal
}

/** Milliseconds until the next try after one that failed. */
const PAUSE_MS = 10

export const askUntil = async ({ first, isCached, key, next, over, told, urls }: Client): Promise<void> => {
  for (let at = first; !over.aborted;) {
    const number = next()
    const tag = tagOf(number)
    const asked = askedOf(number, isCached)
    const stream = asked % 2 === 0
    const url = urls[at % urls.length] ?? ""
    const signal = isStuck(asked) ? over : null
    const read = await ask({ url, key, number: asked, tag, stream, signal }).catch(() => none)
    told({ tag, stream, ...read })
    if (read.cost !== undefined) continue
    at++
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

const none = { cost: undefined, isHit: false, problem: undefined }

/** Chat as it is spoken, and two shapes that are translated to it. `end`: how a whole stream ends. */
const endpoints = [
  {
    path: "/v1/chat/completions",
    body: (content: string) => ({ max_tokens: 50, messages: [{ role: "user", content }] }),
    end: "data: [DONE]"
  },
  {
    path: "/v1/responses",
    body: (content: string) => ({ max_output_tokens: 50, input: [{ role: "user", content }] }),
    end: "event: response.completed"
  },
  {
    path: "/v1/messages",
    body: (content: string) => ({ max_tokens: 50, messages: [{ role: "user", content }] }),
    end: "event: message_stop"
  }
]

interface Question {
  readonly url: string
  readonly key: string
  readonly number: number
  readonly tag: string
  readonly stream: boolean
  readonly signal: AbortSignal | null
}

const ask = async ({ key, number, signal, stream, tag, url }: Question) => {
  // Every second request is a stream, so endpoints take turns by pairs.
  const { body, end, path } = endpoints[Math.floor(number / 2) % endpoints.length]!
  const { endUser, session } = scopesOf(tag)
  const scopes = { "x-gateway-end-user": endUser, "x-gateway-session-id": session }
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-gateway-tags": tag, ...scopes },
    body: JSON.stringify({ model: "up/m", stream, ...body(`Request ${number}`) }),
    signal
  })
  const text = await readAll(response, stream ? end : undefined)
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  const cost = /"cost_usd":([\d.e-]+)/.exec(text)?.[1]
  if (cost === undefined) throw new Error(`an answer without its cost: ${text}`)
  const isHit = response.headers.get("x-gateway-cache") === "hit"
  const isWhole = text.includes(`one ${number} `) && text.includes("two")
  const problem = isWhole ? undefined : `${tag} got another response than its own: ${text}`
  return { cost: Math.round(Number(cost) * 1e9), isHit, problem }
}

/** A stream has ended for its reader with its end mark, whether the connection closes well or not. */
const readAll = async (response: Response, end: string | undefined): Promise<string> => {
  if (end === undefined || response.body === null) return response.text()
  let text = ""
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.includes(end) && text.endsWith("\n\n")) return text
  }
  throw new Error("the stream broke off")
}
