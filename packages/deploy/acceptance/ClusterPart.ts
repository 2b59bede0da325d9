/** Three gateways on one Postgres behind nginx, as `compose.cluster.yaml` has them, in plain processes: nothing but names and ports is changed. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { findPrograms } from "../../../scripts/postgres/Programs.ts"
import { startServer } from "../../../scripts/postgres/Server.ts"
import { freePort, listening, MASTER_KEY, main } from "./Demo.ts"
import { needs, type Part, Skipped } from "./Parts.ts"
import { nginxFor, replaced } from "./ProxyParts.ts"

const compose = join(import.meta.dirname, "..", "compose")
const NAMES = ["gateway-1", "gateway-2", "gateway-3"]

interface Answered {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

const asking =
  (port: number) =>
  async (path: string, key: string, body?: object): Promise<Answered> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, json: JSON.parse((await answer.text()) || "{}") }
  }

const gateway = async (folder: string, name: string, url: string): Promise<{ child: ChildProcess; port: number }> => {
  const port = await freePort()
  const file = join(folder, `${name}.yaml`)
  writeFileSync(
    file,
    `server: { host: 127.0.0.1, port: ${port}, trusted_proxies: [127.0.0.1], shutdown_delay: 4s }
master_key: ${MASTER_KEY}
store: { postgres: { url: "${url}", lease: 5s } }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
  )
  const args = ["--conditions=model-gateway-source", main, "serve", "--config", file]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  await listening(child)
  return { child, port }
}

export const clusterPart = async (part: Part): Promise<void> => {
  needs("nginx")
  const programs = await findPrograms()
  if (programs === undefined) throw new Skipped("no PostgreSQL: npm can't be reached, and there is none on the PATH")
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-cluster-"))
  const postgres = await startServer({ bin: programs.bin })
  const gateways: Array<{ child: ChildProcess; port: number }> = []
  let proxy: ChildProcess | undefined
  try {
    for (const name of NAMES) gateways.push(await gateway(folder, name, postgres.url()))
    const port = await freePort()
    const site = replaced(readFileSync(join(compose, "nginx.cluster.conf"), "utf8"), [
      ["listen 8080;", `listen 127.0.0.1:${port};`],
      ...gateways.map((one, index) => [`${NAMES[index]}:4100`, `127.0.0.1:${one.port}`] as const)
    ])
    proxy = nginxFor(folder, site)
    const ask = asking(port)
    for (let tries = 0; tries < 100 && (await ask("/readyz", "").catch(() => undefined))?.status !== 200; tries++)
      await setTimeout(100)

    await part.check("nodes list shows all of them at work", async () => {
      const { json } = await ask("/admin/nodes", MASTER_KEY)
      const states = JSON.stringify(json["data"]).match(/"state":"working"/g)?.length
      return states === NAMES.length ? undefined : JSON.stringify(json)
    })
    const made = await ask("/admin/keys", MASTER_KEY, { limits: { rpm: 12 } })
    const key = String(made.json["key"])
    const chat = () =>
      ask("/v1/chat/completions", key, { model: "demo/mini", messages: [{ role: "user", content: "hi" }] })
    await part.check("12 requests a minute are 12 over all of them", async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, chat))
      const good = answers.filter(({ status }) => status === 200).length
      const limited = answers.filter(({ status }) => status === 429).length
      return good === 12 && limited === 28 ? undefined : `${good} were answered, ${limited} were too many`
    })
    const free = await ask("/admin/keys", MASTER_KEY, {})
    const unlimited = () =>
      ask("/v1/chat/completions", String(free.json["key"]), {
        model: "demo/mini",
        messages: [{ role: "user", content: "hi" }]
      })
    await part.check("a gateway that is stopped fails no request: plain nginx, told two seconds later", async () => {
      const last = gateways.at(-1)
      const statuses: Array<number | string> = []
      const direct = async () => {
        const url = `http://127.0.0.1:${port}/v1/models`
        const headers = { authorization: `Bearer ${String(free.json["key"])}` }
        const one = await fetch(url, { headers }).then(
          async (answer) => (await answer.text(), answer.status),
          (error: Error) => error.message
        )
        statuses.push(one)
      }
      last?.child.kill("SIGTERM")
      // What an orchestrator does: the endpoint is gone from the proxy's list some time after the signal.
      const told = setTimeout(2000).then(() => {
        const file = join(folder, "nginx.conf")
        writeFileSync(file, readFileSync(file, "utf8").replace(`server 127.0.0.1:${last?.port} `, "# server "))
        proxy?.kill("SIGHUP")
      })
      for (let round = 0; round < 125; round++) {
        await Promise.all(Array.from({ length: 8 }, direct))
        await setTimeout(40)
      }
      await told
      part.note(`${statuses.length} requests while one of three stopped`)
      const wrong = statuses.filter((status) => status !== 200)
      return wrong.length === 0 ? undefined : `${wrong.length} of ${statuses.length}: ${[...new Set(wrong)].join(", ")}`
    })
    await part.check("one that is killed breaks nothing that comes after, and is taken off the list", async () => {
      const [killed] = gateways
      const isOver = new Promise((end) => killed?.child.once("exit", end))
      killed?.child.kill("SIGKILL")
      // Its port refuses connections from then on; one that it had accepted would fail.
      await isOver
      const statuses = (await Promise.all(Array.from({ length: 30 }, unlimited))).map(({ status }) => status)
      if (statuses.some((status) => status !== 200)) return statuses.join(" ")
      for (let tries = 0; tries < 100; tries++) {
        const { json } = await ask("/admin/nodes", MASTER_KEY)
        if (JSON.stringify(json["data"]).match(/"object":"node"/g)?.length === 1) return undefined
        await setTimeout(100)
      }
      return "it is still on the list"
    })
    await part.check("a key that was revoked opens nothing on any of them", async () => {
      const revoked = await fetch(`http://127.0.0.1:${port}/admin/keys/${String(free.json["id"])}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${MASTER_KEY}` }
      })
      const statuses = (await Promise.all(Array.from({ length: 20 }, unlimited))).map(({ status }) => status)
      return revoked.status === 200 && statuses.every((status) => status === 401)
        ? undefined
        : `${revoked.status}: ${statuses.join(" ")}`
    })
  } finally {
    proxy?.kill("SIGTERM")
    for (const { child } of gateways) child.kill("SIGTERM")
    await Promise.all(
      gateways.map(({ child }) => child.exitCode ?? child.signalCode ?? new Promise((end) => child.once("exit", end)))
    )
    await postgres.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
