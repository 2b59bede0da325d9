/** Very many requests at the same moment: every connection is open before the first request is sent. */
import { request as httpRequest } from "node:http"
import { connect, type Socket } from "node:net"

export interface LoadOptions {
  /** Used in turns, and with each of them the keys in turns. */
  readonly urls: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly requests: number
  /** Sent with each request. */
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly stream: boolean
  /** Every fifth client leaves when it has seen the first word. */
  readonly hangUp: boolean
  /** Told of every request that gets no answer from the provider, as it comes. */
  readonly refused: () => void
}

export interface Ended {
  readonly tag: string
  /** 0 where the connection broke. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** In nano-USD; undefined when the answer did not come to its end. */
  readonly cost: number | undefined
  readonly hungUp: boolean
}

/** Connections being made at a time: fewer than the gateway's backlog. */
const CONNECTING = 200

/** Which requests get the beginning of a stream and never its end: their clients are those that may hang up. */
export const isEndless = (number: number): boolean => number % 5 === 4

/** The same length for all: each reserves the same. */
export const bodyOf = (number: number, stream: boolean): string =>
  JSON.stringify({
    model: "up/m",
    stream,
    max_tokens: 100,
    messages: [{ role: "user", content: `Request ${String(number).padStart(7, "0")}` }]
  })

/** Completes when the last answer has ended. */
export const loadAtOnce = async (options: LoadOptions): Promise<ReadonlyArray<Ended>> => {
  const { keys, urls } = options
  const sockets: Array<Socket> = []
  while (sockets.length < options.requests) {
    const from = sockets.length
    const next = Array.from({ length: Math.min(CONNECTING, options.requests - from) }, (_, index) =>
      opened(urls[Math.floor((from + index) / keys.length) % urls.length] ?? "")
    )
    sockets.push(...(await Promise.all(next)))
  }
  return Promise.all(sockets.map((socket, number) => ask(options, socket, number)))
}

const opened = (url: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ port: Number(port), host: hostname })
    socket.once("connect", () => resolve(socket)).once("error", reject)
  })

const ask = (
  { hangUp, headers: more, keys, refused, stream }: LoadOptions,
  socket: Socket,
  number: number
): Promise<Ended> =>
  new Promise((resolve) => {
    const tag = `n${number}`
    const leaves = hangUp && isEndless(number)
    let text = ""
    const end = (status: number, headers: Ended["headers"], hungUp: boolean) => {
      if (status !== 200) refused()
      const cost = status === 200 && !hungUp ? /"cost_usd":([\d.e-]+)/.exec(text)?.[1] : undefined
      const nano = cost === undefined ? undefined : Math.round(Number(cost) * 1e9)
      resolve({ tag, status, headers, text, cost: nano, hungUp })
    }
    const outgoing = httpRequest({
      method: "POST",
      path: "/v1/chat/completions",
      createConnection: () => socket,
      headers: {
        host: "gateway",
        authorization: `Bearer ${keys[number % keys.length]}`,
        "content-type": "application/json",
        "x-gateway-tags": tag,
        ...more
      }
    })
    outgoing.on("error", () => end(0, {}, false))
    outgoing.on("response", (response) => {
      const status = response.statusCode ?? 0
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece
        if (!leaves || !text.includes('"one "')) return
        end(status, response.headers, true)
        socket.destroy()
      })
      response.on("error", () => end(0, response.headers, false))
      response.on("end", () => end(status, response.headers, false))
    })
    outgoing.end(bodyOf(number, stream))
  })
