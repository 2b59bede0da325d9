/**
 * The bare proxy that every ratio is taken against: what a careful person would write on `node:http` and `undici` in an hour. It
 * looks the key up in a Map, parses once each way, takes the cost from the usage and sets the five headers; streams it pipes. No
 * limits, no budgets, no ledger, no failover, no checks. With a file a plain answer waits until its cost is on the disk there.
 *
 * `node bare.ts <upstream URL> <key> [<file>]`
 */
import { createServer, type ServerResponse } from "node:http"
import { Pool } from "undici"
import { BareLog } from "./BareLog.ts"
import { PRICE } from "./Workload.ts"

const [upstream = "", key = "", file] = process.argv.slice(2)
const log = file === undefined ? undefined : new BareLog(file)
const pool = new Pool(upstream, { connections: 256, pipelining: 1 })
const keys = new Map([[key, { id: "key_1" }]])
let spent = 0

const headersOf = (model: string, cost: string) => ({
  "x-gateway-decision": `up/${model}`,
  "x-gateway-route-bucket": "none",
  "x-gateway-route-score": "0",
  "x-gateway-cost-usd": cost,
  "x-gateway-retries": "0"
})

const ask = (body: object) =>
  pool.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer upstream" },
    body: JSON.stringify(body)
  })

const answer = async (response: ServerResponse, bytes: Buffer): Promise<void> => {
  const body = JSON.parse(bytes.toString())
  body.model = body.model.slice(body.model.indexOf("/") + 1)
  const asked = await ask(body)
  if (body.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream", ...headersOf(body.model, "0") })
    asked.body.pipe(response)
    return
  }
  const text = await asked.body.text()
  const { usage } = JSON.parse(text)
  const cost = (usage.prompt_tokens * PRICE.input + usage.completion_tokens * PRICE.output) / 1e6
  spent += cost
  await log?.add(`${Date.now()} ${key} ${body.model} ${cost}\n`)
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headersOf(body.model, cost.toFixed(9))
  })
  response.end(text)
}

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (!keys.has((request.headers.authorization ?? "").slice("Bearer ".length))) {
      response.writeHead(401)
      response.end()
      return
    }
    answer(response, Buffer.concat(chunks)).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object") console.error(`listening on http://127.0.0.1:${address?.port}`)
})
process.on("SIGTERM", () => {
  console.error(`spent ${spent.toFixed(2)} USD`)
  process.exit(0)
})
