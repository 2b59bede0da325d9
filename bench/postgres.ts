/**
 * `npm run bench:postgres [-- --rounds 3 --requests 4000]`: what a request costs on a store in Postgres beside one in a file: CPU of the gateway, CPU
 * of all of Postgres' processes, and how long an answer takes. Both gateways answer with the demo vendor, in turns, 32 requests at a time.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Pool } from "undici"
import { findPrograms } from "../scripts/postgres/Programs.ts"
import { startServer } from "../scripts/postgres/Server.ts"
import { cpuOf, cpuOfServer } from "./PostgresCpu.ts"
import { rounded, spreads, table, type Figures } from "./Figures.ts"
import { othersOptions } from "./Options.ts"

const CONCURRENCY = 32
const MASTER_KEY = "5f0b7be1c9a2d4837e6610f4a98dc2b35d7e1f0c9b86a3d2"
const main = join(import.meta.dirname, "../packages/model-gateway/src/main.ts")

const { values } = parseArgs({
  options: { ...othersOptions, rounds: { type: "string", default: "3" }, requests: { type: "string", default: "4000" } }
})
const rounds = Number(values.rounds)
const requests = Number(values.requests)

const programs = await findPrograms()
if (programs === undefined) throw new Error("no PostgreSQL: npm can't be reached, and there are none on the PATH")
const folder = mkdtempSync(join(tmpdir(), "gateway-bench-postgres-"))
const postgres = await startServer({ bin: programs.bin, settings: ["max_connections=50"] })
const cpuOfPostgres = cpuOfServer(postgres)

interface Gateway {
  readonly child: ChildProcess
  readonly pool: Pool
  readonly key: string
}

const start = async (name: string, store: string): Promise<Gateway> => {
  const config = join(folder, `${name}.yaml`)
  writeFileSync(
    config,
    `server: { port: 0 }
master_key: ${MASTER_KEY}
store: ${store}
providers: { demo: { vendor: demo, latency: 0ms } }
deployments: [demo/mini]
`
  )
  const child = spawn(process.execPath, ["--conditions=model-gateway-source", main, "serve", "--config", config], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.stderr.on("data", (text) => {
      said += String(text)
      const found = /listening on (http:\/\/\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once("exit", () => reject(new Error(said)))
  })
  const pool = new Pool(new URL(url).origin, { connections: CONCURRENCY })
  const made = await pool.request({
    path: "/admin/keys",
    method: "POST",
    headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ budgets: [{ usd: 1000, window: "day" }] })
  })
  const { key } = (await made.body.json()) as { readonly key: string }
  return { child, pool, key }
}

const body = JSON.stringify({ model: "demo/mini", max_tokens: 8, messages: [{ role: "user", content: "Hi" }] })

const turn = async ({ child, key, pool }: Gateway, count: number): Promise<Figures> => {
  const times: Array<number> = []
  const [own, theirs, began] = [cpuOf(child.pid ?? 0), cpuOfPostgres(), performance.now()]
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const from = performance.now()
      const { body: answer, statusCode } = await pool.request({
        path: "/v1/chat/completions",
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body
      })
      await answer.dump()
      if (statusCode !== 200) throw new Error(`the gateway answers with ${statusCode}`)
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  times.sort((a, b) => a - b)
  const at = (share: number) => rounded(times[Math.floor(share * (times.length - 1))] ?? 0, 2)
  return {
    "CPU of the gateway, µs/request": rounded((1000 * (cpuOf(child.pid ?? 0) - own)) / count),
    "CPU of Postgres, µs/request": rounded((1000 * (cpuOfPostgres() - theirs)) / count),
    "requests/s": rounded(count / ((performance.now() - began) / 1000), 0),
    "p50, ms": at(0.5),
    "p99, ms": at(0.99)
  }
}

const file = await start("file", `{ sqlite: ${join(folder, "gateway.db")} }`)
const database = await start("database", `{ postgres: { url: "${postgres.url()}" } }`)
try {
  const figures = { "a file": [] as Array<Figures>, Postgres: [] as Array<Figures> }
  for (const gateway of [file, database]) await turn(gateway, Math.max(1_000, requests / 2))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (["a file", "Postgres"] as const) : (["Postgres", "a file"] as const)
    for (const name of order) figures[name].push(await turn(name === "a file" ? file : database, requests))
  }
  console.log(`\nmin / median / max of ${rounds} rounds of ${requests} requests, ${CONCURRENCY} at a time\n`)
  console.log(table("store", figures))
  console.log(JSON.stringify({ file: spreads(figures["a file"]), postgres: spreads(figures.Postgres) }))
} finally {
  for (const { child, pool } of [file, database]) {
    await pool.destroy()
    child.kill("SIGTERM")
  }
  await Promise.all([file, database].map(({ child }) => new Promise((resolve) => child.once("exit", resolve))))
  await postgres.remove()
  rmSync(folder, { recursive: true, force: true })
}
