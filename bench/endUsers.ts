/**
 * End users with a template: what a request costs in CPU beside one of a key without a template, at 32 at a time, and what a million
 * end users leave in memory. The store knows all of them from the day before.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Bench, say, type Target, WARM_UP } from "./Bench.ts"
import type { EndUserMemory } from "./endUsersRun.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { MODEL, requestBody } from "./Workload.ts"

const pace = { concurrency: 32 }
const body = requestBody(MODEL, false)
const CPU = "CPU, µs/request"
const DAY_MS = 86_400_000
const TEAM = "team:product"
const BUDGETS = [{ usd: 1_000_000, window: "day" }]
const LIMITS = { rpm: 1_000_000, tpm: 1_000_000_000_000 }

await Bench.run("end-users", measured, {
  help: `
--users N       end users that the store knows (1000000)
--active N      those that ask meanwhile (100000)`,
  options: { users: { type: "string", default: "1000000" }, active: { type: "string", default: "100000" } }
})

async function measured(bench: Bench): Promise<object> {
  const { more, rounds, seconds } = bench.options
  const [users, active] = [Number(more["users"]), Number(more["active"])]
  const first = bench.adopt(await bench.gateway.start())
  const key = async (name: string, rules: object) => {
    const given = { name, team: TEAM.slice(5), limits: LIMITS, budgets: BUDGETS, ...rules }
    return (await bench.gateway.admin<{ readonly key: string }>(first, "/admin/keys", given)).key
  }
  const keys = {
    without: await key("without", {}),
    with: await key("with", { per_end_user: { limits: LIMITS, budgets: BUDGETS } })
  }
  await first.stop()
  seedEndUsers(join(bench.gateway.folder, "gateway.db"), users)
  const server = bench.adopt(await bench.gateway.start())
  const targets: Record<"without" | "with", Target> = {
    without: { server, key: keys.without },
    with: { server, key: keys.with }
  }
  const job = (name: keyof typeof targets) => ({
    body,
    stream: false,
    pace,
    ...(name === "with" ? { endUsers: active } : {})
  })
  const names = ["without", "with"] as const
  for (const name of names) await bench.warmUp(targets[name], WARM_UP, job(name))
  const figures = { without: [] as Array<Figures>, with: [] as Array<Figures> }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { cpuUs, elapsed, p50, p99, requests, rssMb } = await bench.turn(targets[name], { ...job(name), seconds })
      figures[name].push({
        [CPU]: rounded(cpuUs / requests),
        "requests/s": rounded(requests / (elapsed / 1000), 0),
        "p50, ms": rounded(p50, 3),
        "p99, ms": rounded(p99, 3),
        "RSS, MiB": rssMb
      })
    }
  }
  const ratio = ratios(figures.with, figures.without, CPU)
  console.log(`\nmin / median / max of ${rounds} rounds\n`)
  console.log(table(`${pace.concurrency} at a time, ${active} of ${users} end users`, figures))
  console.log(`\nCPU per request, with a template over without: ${ratio.median} (rounds: ${ratio.rounds.join(", ")})`)
  say(`${users} end users in the memory of one process`)
  const script = [
    "--expose-gc",
    "--max-old-space-size=4096",
    "--conditions=model-gateway-source",
    join(import.meta.dirname, "endUsersRun.ts"),
    String(users)
  ]
  const memory = JSON.parse(
    execFileSync(process.execPath, script, { encoding: "utf8" }).trimEnd().split("\n").at(-1) ?? ""
  ) as EndUserMemory
  console.log(`memory of an end user: ${memory.activeBytes} bytes while active, ${memory.idleBytes} when idle\n`)
  return { users, active, without: spreads(figures.without), with: spreads(figures.with), ratio, memory }
}

/** Each asked once on the day before. */
function seedEndUsers(path: string, users: number): void {
  say(`writing what ${users} end users spent`)
  const db = new DatabaseSync(path)
  db.exec("PRAGMA synchronous = OFF")
  const at = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS
  const names = db
    .prepare("SELECT name FROM pragma_table_info('scope_rollup')")
    .all()
    .map(({ name }) => String(name))
  const texts = {
    scope: `'end_user:${encodeURIComponent(TEAM)}/user-' || n`,
    key_id: "'key_1'",
    team: `'${TEAM.slice(5)}'`,
    provider: "'up'",
    model: "'gpt-4.1'",
    tags: "''"
  }
  const numbers = { slot: at / 900_000, last_at: at, requests: 1, cost: 1_000 }
  const values = names.map((name) => ({ ...texts, ...numbers })[name] ?? 0)
  db.exec(`INSERT INTO scope_rollup (${names.join(", ")})
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT ${users}) SELECT ${values.join(", ")} FROM numbers`)
  db.close()
}
