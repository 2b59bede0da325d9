/** The gateway with its demo vendor, slow enough that a held-back stream shows. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { get, request } from "node:https"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

export const main = join(import.meta.dirname, "..", "..", "model-gateway", "src", "main.ts")
export const MASTER_KEY = "5f0b7be1c9a2d4837e6610f4a98dc2b35d7e1f0c9b86a3d2"

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject()))
    })
  })

export interface Demo {
  readonly port: number
  readonly key: string
  readonly stop: () => void
}

export const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stderr?.on("data", (text) => {
      said += String(text)
      if (said.includes("listening on")) resolve()
    })
    child.once("exit", () => reject(new Error(said)))
  })

export const startDemo = async (folder: string): Promise<Demo> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const file = join(folder, "gateway.yaml")
  writeFileSync(
    file,
    `server: { host: 127.0.0.1, port: ${port}, trusted_proxies: [127.0.0.1] }
master_key: ${MASTER_KEY}
providers: { demo: { vendor: demo, latency: 50ms, tokens_per_second: 20 } }
deployments: [demo/mini]
`
  )
  const args = ["--conditions=model-gateway-source", main, "serve", "--config", file]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  await listening(child)
  const made = await fetch(`http://127.0.0.1:${port}/admin/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
    body: "{}"
  })
  const { key }: { readonly key: string } = JSON.parse(await made.text())
  return { port, key, stop: () => void child.kill("SIGTERM") }
}

/** Certificates of the proxies are their own. */
const agentless = { rejectUnauthorized: false, agent: false } as const

/** Until something answers at the port. */
export const answering = async (port: number, host: string): Promise<void> => {
  for (let tries = 0; tries < 100; tries++) {
    const status = await new Promise<number | undefined>((resolve) => {
      get({ port, path: "/readyz", headers: { host }, servername: host, ...agentless }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).once("error", () => resolve(undefined))
    })
    if (status === 200) return
    await setTimeout(100)
  }
  throw new Error(`nothing is ready at port ${port}`)
}

export interface Arrival {
  readonly status: number | undefined
  /** When each piece of the answer came, ms after the request. */
  readonly times: ReadonlyArray<number>
  readonly text: string
}

/** A request through the proxy, and when what of its answer came. `leaveAfter`: the caller goes after so many pieces. */
export const ask = (
  { port, key }: { readonly port: number; readonly key: string },
  host: string,
  body: object,
  leaveAfter = Infinity
): Promise<Arrival> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const times: Array<number> = []
    let text = ""
    const headers = { host, authorization: `Bearer ${key}`, "content-type": "application/json" }
    const sent = request(
      { port, path: "/v1/chat/completions", method: "POST", headers, servername: host, ...agentless },
      (answer) => {
        const done = () => resolve({ status: answer.statusCode, times, text })
        answer.on("data", (piece) => {
          times.push(performance.now() - began)
          text += String(piece)
          if (times.length >= leaveAfter) sent.destroy()
        })
        answer.once("close", done)
      }
    )
    sent.once("error", (error) => (leaveAfter === Infinity ? reject(error) : undefined))
    sent.end(JSON.stringify(body))
  })
