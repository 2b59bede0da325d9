/**
 * The upstream of the faults run, in a process of its own: `model` says what it does, `<number of the fault>.<case>`, `fine`, or
 * a scenario of `FailoverScenarios.ts`. What became of its calls is at `GET /calls?model=…`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { completion, completionEvents } from "../support/Upstream.ts"
import { failoverPlay, NO_PREFILL, refusePrefill } from "./FailoverScenarios.ts"
import { faults } from "./Faults.ts"

const calls = new Map<string, Array<{ open: boolean; readonly at: number; readonly refusal: boolean }>>()

// Closes no idle connection by itself: after a machine that stood still for seconds, it would do so just as the caller asks again.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const url = new URL(request.url ?? "/", "http://upstream")
  if (request.method === "GET")
    return void response.end(JSON.stringify(calls.get(url.searchParams.get("model") ?? "") ?? []))
  // The APIs of Google and Bedrock have both in the address.
  const address = /\/models\/([^:]+):(stream)?|\/model\/([^/]+)\/converse(-stream)?/.exec(
    decodeURIComponent(url.pathname)
  )
  const [, google, streamed, bedrock = google, alsoStreamed = streamed] = address ?? []
  readBody(request, (body) =>
    answer(bedrock === undefined ? body : { model: bedrock, stream: alsoStreamed !== undefined }, response)
  )
})

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly messages?: ReadonlyArray<{ readonly role: string }>
}

const readBody = (request: IncomingMessage, done: (body: Body) => void) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("end", () => done(JSON.parse(Buffer.concat(pieces).toString("utf8"))))
}

const answer = ({ messages = [], model, stream = false }: Body, response: ServerResponse) => {
  const isContinuation = messages.at(-1)?.role === "assistant"
  const call = { open: true, at: Date.now(), refusal: model === NO_PREFILL && isContinuation }
  const number = calls.get(model)?.length ?? 0
  calls.set(model, [...(calls.get(model) ?? []), call])
  response.once("close", () => (call.open = false))
  response.on("error", () => {})
  const play = call.refusal ? refusePrefill : (failoverPlay(model) ?? faults[Number.parseInt(model, 10)]?.play)
  if (play !== undefined) return play(response, stream, number)
  if (stream)
    return void response.writeHead(200, { "content-type": "text/event-stream" }).end(completionEvents("spare").join(""))
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion("spare")))
}

server.on("connection", (socket) => socket.on("error", () => {}))
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
