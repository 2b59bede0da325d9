/** The ledger in Postgres after a year: how long a gateway needs for the sums of so many rows, and Postgres' own CPU for them. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { findPrograms } from "../scripts/postgres/Programs.ts"
import { startServer } from "../scripts/postgres/Server.ts"
import { say } from "./Bench.ts"
import { rounded } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { cpuOfServer } from "./PostgresCpu.ts"
import { keyIdOf, seed } from "./Seed.ts"

const main = join(import.meta.dirname, "../packages/model-gateway/src/main.ts")
const ASKED = 15
const DAY_MS = 86_400_000
const KEYS = 5_000

const questionsAt = (now: number): Readonly<Record<string, string>> => {
  const ago = (days: number) => new Date(now - days * DAY_MS).toISOString()
  return {
    "spend of a year": `spend?from=${ago(365)}`,
    "spend of a year by month and model": `spend?from=${ago(365)}&group_by=month,model`,
    "spend of a month by key, the 100 most expensive": `spend?from=${ago(30)}&group_by=key&limit=100`,
    "spend of one key, a year by day": `spend?from=${ago(365)}&group_by=day&key=${keyIdOf(1)}`,
    "spend of the last hour by team": `spend?from=${ago(1 / 24)}&group_by=team`,
    "the fullest 100 budgets": "budgets?limit=100",
    "overview of a day": `overview?from=${ago(1)}&limit=6`
  }
}

export interface PostgresFigures {
  readonly rows: number
  readonly copyMs: number
  readonly questions: Readonly<Record<string, { medianMs: number; slowestMs: number; postgresCpuMs: number }>>
}

/** `rows`: of the ledger, a quarter of them within the last hour. Undefined where there is no Postgres. */
export const ledgerOnPostgres = async (rows: number, scratch: string): Promise<PostgresFigures | undefined> => {
  const programs = await findPrograms()
  if (programs === undefined) {
    console.log("SKIP the ledger in Postgres: npm can't be reached, and there are no programs of Postgres on the PATH")
    return undefined
  }
  const folder = mkdtempSync(join(scratch, "gateway-ledger-postgres-"))
  const server = await startServer({ bin: programs.bin, settings: ["max_connections=50", "shared_buffers=256MB"] })
  const now = Date.now()
  const file = join(folder, "gateway.db")
  const recent = Math.floor(rows / 4)
  await seed(file, { keys: KEYS, rows: rows - recent, recent, callers: KEYS }, now)
  const store = { url: server.url(), schema: "public", reserve: "behind" } as const
  const gateway = new Gateway("http://127.0.0.1:9", { store: file, folder, postgres: store })
  try {
    say(`copying ${rows} ledger rows into Postgres`)
    const began = performance.now()
    const copy = ["store", "copy", "--from", file, "--config", join(gateway.folder, "gateway.yaml")]
    execFileSync(process.execPath, ["--conditions=model-gateway-source", main, ...copy], { stdio: "ignore" })
    const copyMs = rounded(performance.now() - began, 0)
    console.log(`\nthe ledger in Postgres, ${rows} rows, copied from a file in ${copyMs} ms`)
    const running = await gateway.start()
    const { total } = await gateway.admin<{ readonly total: { readonly requests: number } }>(
      running,
      `/admin/${questionsAt(now)["spend of a year"]}`
    )
    // The first rows of the year are a moment older than a year by now.
    if (Math.abs(total.requests - rows) > rows / 1_000)
      throw new Error(`Postgres has ${total.requests} requests, not ${rows}`)
    const cpu = cpuOfServer(server)
    const questions: Record<string, { medianMs: number; slowestMs: number; postgresCpuMs: number }> = {}
    for (const [name, path] of Object.entries(questionsAt(now))) {
      await gateway.admin(running, `/admin/${path}`)
      const [times, before] = [[] as Array<number>, cpu()]
      for (let asked = 0; asked < ASKED; asked++) {
        const from = performance.now()
        await gateway.admin(running, `/admin/${path}`)
        times.push(performance.now() - from)
      }
      times.sort((a, b) => a - b)
      const found = {
        medianMs: rounded(times[ASKED >> 1] ?? 0, 1),
        slowestMs: rounded(times.at(-1) ?? 0, 1),
        postgresCpuMs: rounded((cpu() - before) / ASKED, 1)
      }
      questions[name] = found
      console.log(
        `${name.padEnd(40)}${found.medianMs} ms, slowest ${found.slowestMs} ms, CPU of Postgres ${found.postgresCpuMs} ms`
      )
    }
    await running.stop()
    return { rows, copyMs, questions }
  } finally {
    gateway.remove()
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
