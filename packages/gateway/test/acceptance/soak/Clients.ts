/** The callers of a soak: every kind there is, the impatient and the hostile too. Each tells how it ended. */
import { request as httpRequest, type Agent, type IncomingMessage } from "node:http"

export interface Asking {
  readonly url: string
  readonly agent: Agent
  readonly key: string
  readonly masterKey: string
  readonly draw: (below: number) => number
  /** An answer was seen to its end: its request id and what it was said to cost, in nano-USD. */
  readonly finished: (requestId: string, cost: number) => void
}

/** `ok`, or what the answer was instead; `gone`: the connection broke. */
export type Ending = string

interface Sent {
  readonly status: number
  readonly text: string
  readonly requestId: string
}

interface Wish {
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  /** What is done with the answer instead of reading it; completes when it is over. */
  readonly take?: (response: IncomingMessage) => Promise<string | void>
  /** Hangs up after so many milliseconds. */
  readonly patience?: number
}

const open = (asking: Asking, wish: Wish): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const text = typeof wish.body === "string" ? wish.body : wish.body === undefined ? "" : JSON.stringify(wish.body)
    const outgoing = httpRequest(asking.url + (wish.path ?? "/v1/chat/completions"), {
      agent: asking.agent,
      method: wish.method ?? "POST",
      headers: {
        authorization: `Bearer ${wish.key ?? asking.key}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
        ...wish.headers
      }
    })
    const timer = wish.patience === undefined ? undefined : setTimeout(() => outgoing.destroy(), wish.patience)
    outgoing.on("error", reject).on("response", resolve)
    outgoing.on("close", () => clearTimeout(timer))
    outgoing.end(text)
  })

const send = async (asking: Asking, wish: Wish): Promise<Sent> => {
  const response = await open(asking, wish)
  const { headers, statusCode = 0 } = response
  const text = await (wish.take ?? readAll)(response)
  return { status: statusCode, text: text ?? "", requestId: String(headers["x-request-id"]) }
}

const readAll = async (response: IncomingMessage): Promise<string> => {
  let text = ""
  try {
    for await (const piece of response.setEncoding("utf8")) text += String(piece)
  } catch (error) {
    // A stream that broke off ends without the end of its body, behind its error event.
    if (!text.includes('data: {"error"')) throw error
  }
  return text
}

const chat = (model: string, stream: boolean, more: object = {}) => ({
  model,
  stream,
  max_tokens: 200,
  messages: [{ role: "user", content: "Tell me twenty words." }],
  ...more
})

/** Keeps what a whole answer said it cost. */
const told = (asking: Asking, { requestId, status, text }: Sent, stream: boolean): Ending => {
  if (status !== 200) return String(status)
  if (stream && !text.endsWith("data: [DONE]\n\n")) return text.includes('data: {"error"') ? "cut" : "endless"
  const cost = /"cost_usd":([\d.e-]+)/.exec(text)?.[1]
  if (cost === undefined) return "costless"
  asking.finished(requestId, Math.round(Number(cost) * 1e9))
  return "ok"
}

const asks =
  (model: string, stream: boolean, headers: Record<string, string> = {}) =>
  async (asking: Asking) =>
    told(asking, await send(asking, { body: chat(model, stream), headers }), stream)

/** Reads the first piece and hangs up. */
const hangUp = (response: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    response.once("data", () => response.destroy()).once("close", resolve)
  })

/** Reads a little at a time. */
const slowly = async (response: IncomingMessage): Promise<void> => {
  for await (const _ of response) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Takes the head and nothing more for so long that it must have been cut off meanwhile. */
const never = async (response: IncomingMessage): Promise<void> => {
  response.pause()
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  for await (const _ of response) void _
}

const admin = (method: string, path: string, body?: object) => (asking: Asking) =>
  send(asking, { method, path, key: asking.masterKey, ...(body === undefined ? {} : { body }) })

const wrong: ReadonlyArray<Wish> = [
  { body: "{not json" },
  { body: chat("no/such", false) },
  { key: "sk-gw-wrong", body: chat("up/m", false) },
  { body: `{"messages":${"[".repeat(500)}${"]".repeat(500)}}` },
  { method: "PUT", body: {} },
  { body: chat("up/m", false, { messages: "hot" }) }
]

/** A key that lives for two requests. */
const revocation = async (asking: Asking): Promise<Ending> => {
  const made = JSON.parse((await admin("POST", "/admin/keys", { name: "short" })(asking)).text) as {
    readonly id: string
    readonly key: string
  }
  const first = await send(asking, { key: made.key, body: chat("up/m", false) })
  told(asking, first, false)
  await admin("DELETE", `/admin/keys/${made.id}`)(asking)
  const { status } = await send(asking, { key: made.key, body: chat("up/m", false) })
  return first.status === 200 && status === 401 ? "ok" : `${first.status}-then-${status}`
}

export interface Kind {
  readonly name: string
  /** Per mille of all callers. */
  readonly share: number
  readonly run: (asking: Asking) => Promise<Ending>
  /** How it may end. */
  readonly may: ReadonlyArray<Ending>
}

export const kinds: ReadonlyArray<Kind> = [
  { name: "plain", share: 470, run: asks("up/m", false), may: ["ok"] },
  { name: "stream", share: 250, run: asks("up/m", true), may: ["ok"] },
  { name: "buffered", share: 50, run: asks("up/m", true, { "x-gateway-stream-recovery": "buffer" }), may: ["ok"] },
  { name: "spared", share: 40, run: asks("spared", false), may: ["ok"] },
  { name: "shaky stream", share: 40, run: asks("spared", true), may: ["ok", "cut"] },
  { name: "shaky alone", share: 20, run: asks("up/flaky", false), may: ["ok", "429", "500", "502", "503", "504"] },
  {
    name: "hang-up in a stream",
    share: 40,
    run: (asking) => send(asking, { body: chat("up/m", true), take: hangUp }).then(() => "ok"),
    may: ["ok", "gone"]
  },
  {
    name: "hang-up early",
    share: 20,
    run: (asking) => send(asking, { body: chat("up/m", false), patience: asking.draw(20) }).then(() => "ok"),
    may: ["ok", "gone"]
  },
  {
    name: "slow reader",
    share: 4,
    run: (asking) => send(asking, { body: chat("up/big", true), take: slowly }).then(() => "ok"),
    may: ["ok"]
  },
  {
    name: "no reader",
    share: 1,
    run: (asking) => send(asking, { body: chat("up/huge", true), take: never }).then(() => "whole"),
    may: ["gone"]
  },
  {
    name: "bad request",
    share: 45,
    run: (asking) => send(asking, wrong[asking.draw(wrong.length)]!).then(({ status }) => String(status)),
    may: ["400", "401", "404", "405", "429"]
  },
  {
    name: "admin",
    share: 15,
    run: async (asking) => {
      const paths = ["/admin/keys?limit=20", "/admin/spend?group_by=model", "/admin/deployments"]
      return String((await admin("GET", paths[asking.draw(paths.length)]!)(asking)).status)
    },
    may: ["200"]
  },
  { name: "revocation", share: 5, run: revocation, may: ["ok"] }
]
