/**
 * A server that answers chat at once: what a client costs is then all there is to see. Prints its address, ends with its stdin.
 * A stream has as many events as the model's name says: `events-1000`.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const decision = {
  "x-gateway-decision": "demo/mini",
  "x-gateway-deployment": "demo/mini",
  "x-gateway-route-bucket": "none",
  "x-gateway-route-score": "0",
  "x-gateway-cost-usd": "0.0000421",
  "x-gateway-retries": "0",
  "x-gateway-receipt-id": "rcpt_01jcq7v5g8r2k0m4n6p9s3t1",
  "x-request-id": "req_01jcq7v5g8r2k0m4n6p9s3t1"
}
const gateway = {
  decision: "demo/mini",
  deployment: "demo/mini",
  bucket: "none",
  score: 0,
  cost_usd: 0.0000421,
  retries: 0
}
const usage = { prompt_tokens: 12, completion_tokens: 60, total_tokens: 72, cost: 0.0000421 }
const base = { id: "chatcmpl-1", created: 1_790_000_000, model: "mini" }

const content = "An answer of some length, as they are. ".repeat(8)
const whole = JSON.stringify({
  ...base,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage,
  gateway
})

const chunk = (delta: object, more: object = {}, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
const piece = chunk({ content: " word" })
const end = `${chunk({}, { usage, gateway }, "stop")}data: [DONE]\n\n`

const stream = async (response: ServerResponse, events: number): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream", ...decision })
  for (let sent = 0; sent < events; sent++) {
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve))
  }
  response.end(end)
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => (body += text))
  request.on("end", () => {
    const events = /"model":"events-(\d+)"/.exec(body)?.[1]
    if (events !== undefined) void stream(response, Number(events))
    else response.writeHead(200, { "content-type": "application/json", ...decision }).end(whole)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.stdin.resume().on("end", () => process.exit(0))
