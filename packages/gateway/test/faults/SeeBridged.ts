/** One request in another shape than chat, which the gateway translates, and what its caller saw. */
import { errorClasses, type Seen } from "./Judge.ts"
import type { Case } from "./FaultsRun.ts"

export const shapes = ["responses", "messages"] as const
export type Shape = (typeof shapes)[number]

interface Body {
  readonly type?: string
  readonly delta?: string | { readonly text?: string; readonly stop_reason?: string | null }
  readonly response?: Body
  readonly status?: string
  readonly stop_reason?: string
  readonly output?: ReadonlyArray<{ readonly content?: ReadonlyArray<{ readonly text?: string }> }>
  readonly content?: ReadonlyArray<{ readonly text?: string }>
  readonly gateway?: { readonly cost_usd?: number }
  readonly error?: { readonly code?: string | null }
}

const asked = (shape: Shape, { mode, tag }: Case): object => {
  const usual = { model: `model ${tag}`, stream: mode !== "plain" }
  return shape === "responses"
    ? { ...usual, input: "Count", max_output_tokens: 100 }
    : { ...usual, messages: [{ role: "user", content: "Count" }], max_tokens: 100 }
}

/** `longestMs`: a caller that waits longer has been forgotten. */
export const seeBridged = async (
  url: string,
  key: string,
  shape: Shape,
  one: Case,
  longestMs: number
): Promise<Seen> => {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "x-gateway-tags": one.tag,
    ...(one.mode === "buffer" ? { "x-gateway-stream-recovery": "buffer" } : {})
  }
  try {
    const response = await fetch(`${url}/v1/${shape}`, {
      method: "POST",
      headers,
      body: JSON.stringify(asked(shape, one)),
      signal: AbortSignal.timeout(longestMs)
    })
    const { status } = response
    const text = await received(response)
    if (status !== 200) {
      const code = (JSON.parse(text) as Body).error?.code ?? null
      // An overloaded provider has a status of its own there.
      const shown = status === 529 ? 503 : status
      const name = errorClasses[shown] ?? "APIError"
      return { text: "", retries: undefined, finished: false, error: { status: shown, code, name } }
    }
    const retries = Number(response.headers.get("x-gateway-retries") ?? Number.NaN)
    return { retries, ...(one.mode === "plain" ? whole(JSON.parse(text) as Body) : streamed(text)) }
  } catch (error) {
    return { text: "", retries: undefined, finished: false, strange: String(error) }
  }
}

/** The body, also one that breaks off after an error event. */
const received = async ({ body }: Response): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  const text = () => Buffer.concat(pieces).toString()
  try {
    for await (const piece of body ?? []) pieces.push(piece)
  } catch (error) {
    if (!text().includes("event: error\n")) throw error
  }
  return text()
}

type Read = Omit<Seen, "retries">

const whole = (body: Body): Read => {
  const parts = body.content ?? body.output?.flatMap(({ content }) => content ?? []) ?? []
  return { text: parts.map(({ text }) => text ?? "").join(""), finished: isFinished(body), cost: costIn(body) }
}

const streamed = (text: string): Read => {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Body)
  const failed = events.find(({ type }) => type === "error")
  const said = events
    .filter(({ type }) => type === "response.output_text.delta" || type === "content_block_delta")
    .map(({ delta }) => (typeof delta === "string" ? delta : (delta?.text ?? "")))
    .join("")
  if (failed !== undefined) {
    const error = { status: undefined, code: failed.error?.code ?? null, name: "APIError" }
    return { text: said, finished: false, error }
  }
  const last = events.findLast(({ type }) => type === "response.completed" || type === "message_delta")
  const told = last?.response ?? last
  return { text: said, finished: told !== undefined && isFinished(told), cost: told && costIn(told) }
}

const isFinished = ({ delta, status, stop_reason: reason }: Body): boolean => {
  const stopped = typeof delta === "object" ? delta.stop_reason : reason
  return status === "completed" || stopped === "end_turn"
}

const costIn = ({ gateway }: Body): number | undefined =>
  gateway?.cost_usd === undefined ? undefined : Math.round(gateway.cost_usd * 1e9)
