/**
 * What large uploads take of the memory: twenty recordings of 25 MB at once, to a gateway in a process of its own, whose provider
 * answers only when it has all of them. The first of three rounds finds a cold process. The figure is how much more memory the process had
 * at the most than before the round.
 *
 *   npm run bench:uploads
 *
 * Last line: one JSON object. Linux only: the memory is read from /proc.
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../packages/gateway/test/support/GatewayProcess.ts"

const MB = 2 ** 20
const UPLOADS = 20
const UPLOAD_BYTES = 25 * MB
const ROUNDS = 3
const SAMPLE_MS = 10
const masterKey = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

const block = randomBytes(MB)
const before = Buffer.from(
  '--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nup/whisper-1\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="a.ogg"\r\nContent-Type: audio/ogg\r\n\r\n'
)
const after = Buffer.from("\r\n--B--\r\n")

const expected = createHash("sha1")
for (let sent = 0; sent < UPLOAD_BYTES; sent += MB) expected.update(block)
const digest = expected.digest("hex")

function* form() {
  yield before
  for (let sent = 0; sent < UPLOAD_BYTES; sent += MB) yield block
  yield after
}

/** KiB of memory that a process has. */
const residentKib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)

/** Answers when as many forms as a round has are complete. Forms are hashed from the end of their head to their last boundary. */
const provider = () => {
  let waiting: Array<() => void> = []
  return createServer((request, response) => {
    const hash = createHash("sha1")
    let size = 0
    let held: Buffer = Buffer.alloc(0)
    let begun = false
    request.on("data", (piece: Buffer) => {
      size += piece.length
      held = held.length === 0 ? piece : Buffer.concat([held, piece])
      if (!begun) {
        const at = held.indexOf("Content-Type: audio/ogg\r\n\r\n")
        if (at < 0) return
        begun = true
        held = held.subarray(at + 27)
      }
      const keep = Math.min(held.length, 256)
      hash.update(held.subarray(0, held.length - keep))
      held = Buffer.from(held.subarray(held.length - keep))
    })
    request.on("end", () => {
      hash.update(held.subarray(0, held.lastIndexOf("\r\n--", held.length - 5)))
      const isSame = hash.digest("hex") === digest && Number(request.headers["content-length"]) === size
      const body = JSON.stringify({ text: isSame ? "the same" : "other bytes", duration: 1, segments: [] })
      waiting.push(() => response.setHeader("content-type", "application/json").end(body))
      if (waiting.length < UPLOADS) return
      for (const answer of waiting) answer()
      waiting = []
    })
  })
}

const upload = async (url: string, key: string): Promise<void> => {
  const { hostname, port } = new URL(url)
  const outgoing = httpRequest({
    hostname,
    port,
    method: "POST",
    path: "/v1/audio/transcriptions",
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "multipart/form-data; boundary=B",
      "content-length": before.length + UPLOAD_BYTES + after.length
    }
  })
  const answered = new Promise<string>((resolve, reject) => {
    outgoing.on("error", reject)
    outgoing.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("end", () => resolve(text))
    })
  })
  await pipeline(form, outgoing)
  const text = await answered
  if (!text.includes('"the same"')) throw new Error(`not as it was sent: ${text.slice(0, 300)}`)
}

const run = Effect.gen(function* () {
  const upstream = provider()
  yield* Effect.promise(() => new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve)))
  yield* Effect.addFinalizer(() => Effect.sync(() => upstream.close().closeAllConnections()))
  const folder = mkdtempSync(join(tmpdir(), "bench-uploads-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
  const config = join(folder, "gateway.yaml")
  const { port } = upstream.address() as AddressInfo
  writeFileSync(
    config,
    `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${join(folder, "gateway.db")}" }
providers: { up: { vendor: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: none } }
deployments: [up/whisper-1]
`
  )
  const gateway = yield* gatewayProcess(["serve", "--config", config], listening)
  const { key } = yield* Effect.promise(async () => {
    const headers = { authorization: `Bearer ${masterKey}`, "content-type": "application/json" }
    const response = await fetch(`${gateway.ready}/admin/keys`, {
      method: "POST",
      headers,
      body: '{"budget_usd":1000}'
    })
    return (await response.json()) as { readonly key: string }
  })
  const rounds: Array<{ readonly addedMb: number; readonly seconds: number }> = []
  for (let round = 0; round < ROUNDS; round++) {
    yield* Effect.sleep("2 seconds")
    const idle = residentKib(gateway.pid)
    let most = idle
    const sampling = setInterval(() => (most = Math.max(most, residentKib(gateway.pid))), SAMPLE_MS)
    const began = performance.now()
    const all = Array.from({ length: UPLOADS }, () => upload(gateway.ready, key))
    yield* Effect.promise(() => Promise.all(all).finally(() => clearInterval(sampling)))
    const seconds = Math.round((performance.now() - began) / 100) / 10
    rounds.push({ addedMb: Math.round((most - idle) / 102.4) / 10, seconds })
    console.log(
      `round ${round}: ${(idle / 1024).toFixed(0)} MB before, ${(most / 1024).toFixed(0)} MB at the most, ${seconds} s`
    )
  }
  yield* gateway.end("SIGTERM")
  console.log(JSON.stringify({ bench: "uploads", uploads: UPLOADS, megabytes: UPLOAD_BYTES / MB, rounds }))
})

await Effect.runPromise(Effect.scoped(run))
