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
}

/** One in so many is never answered, from the seventh on: whatever the machine, a kill comes in the middle of something. */
const STUCK = 97

/** Counted by the number in the prompt, so that no two answers cost the same. A few milliseconds, so that many are under way. */
export const provider = ({ body }: Asked): Reply => {
  const number = Number(/\d+$/.exec(body.messages[0].content)?.[0])
  if (number % STUCK === 7) return { gate: new Promise(() => {}) }
  const usage = { prompt_tokens: number, completion_tokens: 3, total_tokens: number + 3 }
  if (body.stream !== true) return { delay: number % 17, body: completion("one two", { usage }) }
  const events = completionEvents("one ", "two").map((text) =>
    text.includes('"choices":[],') ? text.replace(/"usage":\{[^}]*\}/, `"usage":${JSON.stringify(usage)}`) : text
  )
  return { delay: number % 13, body: events }
}

/** Asks until the gateway is gone; what each request was told is added to `told`. */
export const askOn = async (
  url: string,
  key: string,
  next: () => number,
  told: (what: Told) => void,
  over: () => boolean
): Promise<void> => {
  while (!over()) {
    const number = next()
    const tag = `n${number}`
    const stream = number % 2 === 0
    const cost = await ask(url, key, number, tag, stream).catch(() => undefined)
    told({ tag, stream, cost })
  }
}

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

const ask = async (url: string, key: string, number: number, tag: string, stream: boolean) => {
  // Every second request is a stream, so endpoints take turns by pairs.
  const { body, end, path } = endpoints[Math.floor(number / 2) % endpoints.length]!
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-gateway-tags": tag },
    body: JSON.stringify({ model: "up/m", stream, ...body(`Request ${number}`) })
  })
  const text = await readAll(response, stream ? end : undefined)
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  const cost = /"cost_usd":([\d.e-]+)/.exec(text)?.[1]
  if (cost === undefined) throw new Error(`an answer without its cost: ${text}`)
  return Math.round(Number(cost) * 1e9)
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
