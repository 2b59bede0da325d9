/**
 * A provider in a process of its own that answers nobody until it is told to: so all requests it is asked for, and all that wait
 * for it, are under way at once. Whoever asks with a number that ends in 4 or 9 gets the beginning of a stream and never its end.
 *
 * Run as a program it prints its port. `POST /hold` and `POST /release` steer it.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { completion, completionEvents } from "../support/Upstream.ts"
import { isEndless } from "./OverspendLoad.ts"

let held = false
const waiting: Array<() => void> = []

const answer = (
  response: ServerResponse,
  body: { readonly stream?: boolean; readonly messages: [{ content: string }] }
) => {
  const number = Number(/\d+/.exec(body.messages[0].content)?.[0])
  // Never all that was reserved, and no two neighbours the same.
  const completion_tokens = 1 + (number % 50)
  const usage = { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens }
  if (body.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify(completion("one two", { usage })))
    return
  }
  const events = completionEvents("one ", "two").map((text) =>
    text.includes('"choices":[],') ? text.replace(/"usage":\{[^}]*\}/, `"usage":${JSON.stringify(usage)}`) : text
  )
  response.writeHead(200, { "content-type": "text/event-stream" })
  if (isEndless(number)) response.write(events.slice(0, 2).join(""))
  else response.end(events.join(""))
}

const server = createServer((request, response) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("end", () => {
    if (request.url === "/hold" || request.url === "/release") {
      held = request.url === "/hold"
      if (!held) for (const go of waiting.splice(0)) go()
      response.end()
      return
    }
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"))
    if (held) waiting.push(() => answer(response, body))
    else answer(response, body)
  })
})

server.listen(0, "127.0.0.1", 4_096, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
