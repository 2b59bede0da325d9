/**
 * How long the pages of the dashboard wait for a gateway with ten million ledger rows, a million receipts and a thousand deployments:
 * each question of each page, asked again and again. `npm run bench:pages`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Bench, say } from "./Bench.ts"
import { rounded } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { keyIdOf, seed } from "./Seed.ts"
import { seedPages } from "./SeedPages.ts"

const DAY_MS = 86_400_000
const ASKED = 15
/** What a page may wait. */
const MOST_MS = 100

/** As `packages/dashboard/src/pages` asks. */
const pagesAt = (now: number, receipt: string) => {
  const ago = (days: number) => new Date(Math.floor(now / DAY_MS) * DAY_MS - days * DAY_MS).toISOString()
  const since = (days: number, interval = "hour") => `from=${ago(days)}&interval=${interval}`
  const key = keyIdOf(1)
  return {
    overview: [
      `traffic?${since(1)}&histograms=true&compare=true`,
      `traffic?${since(1)}&group_by=deployment,bucket`,
      `overview?from=${ago(1)}&limit=6`
    ],
    budgets: ["budgets?limit=100"],
    "overview, 30 days": [
      `traffic?${since(30, "day")}&histograms=true&compare=true`,
      `traffic?${since(30, "day")}&group_by=deployment,bucket`,
      `overview?from=${ago(30)}&limit=6`
    ],
    requests: ["requests?limit=50", `traffic?${since(1)}`],
    "requests, failed ones": ["requests?limit=50&status=failed", `traffic?${since(1)}&status=failed`],
    "one request": [`requests/${receipt}`],
    keys: ["keys?limit=100"],
    "one key": [`keys/${key}`, `traffic?${since(7)}&key=${key}&group_by=limit`, `requests?key=${key}&limit=10`],
    teams: ["teams?limit=100"],
    deployments: ["deployments", `traffic?${since(1)}&group_by=deployment,error`],
    router: [`traffic?${since(7)}&group_by=bucket&histograms=true`, "requests?feedback=given&limit=200"],
    settings: ["info", "audit?limit=8", "sessions"]
  }
}

await Bench.run("pages", measured, {
  help: `
--rows N        rows of the ledger, spread over the last year (10000000)
--recent N      more rows, of the last hour (0)
--receipts N    receipts of the last two days (1000000)
--keys N        virtual keys (5000)
--callers N     of those that ask in any hour (100)
--deployments N how many there are (1000)`,
  options: {
    rows: { type: "string", default: "10000000" },
    recent: { type: "string", default: "0" },
    receipts: { type: "string", default: "1000000" },
    keys: { type: "string", default: "5000" },
    callers: { type: "string", default: "100" },
    deployments: { type: "string", default: "1000" }
  }
})

async function measured(bench: Bench) {
  const { callers, deployments, keys, receipts, recent, rows } = bench.options.more
  const folder = mkdtempSync(join(bench.options.folder ?? tmpdir(), "gateway-pages-"))
  mkdirSync(folder, { recursive: true })
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const store = join(folder, "gateway.db")
  const now = Date.now()
  const sizes = {
    keys: Number(keys),
    rows: Number(rows),
    recent: Number(recent),
    callers: Math.min(10_000, Number(keys))
  }
  await seed(store, sizes, now)
  seedPages(store, { receipts: Number(receipts), callers: Number(callers) }, now)
  const gateway = new Gateway(bench.upstream.url, { store, deployments: Number(deployments), folder })
  process.once("exit", () => gateway.remove())
  const server = bench.adopt(await gateway.start())
  const [newest] = (
    await gateway.admin<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(server, "/admin/requests?limit=1")
  ).data
  say("opening each page")
  const found: Record<
    string,
    { readonly medianMs: number; readonly slowestMs: number; readonly cpuMs: number; readonly stallMs: number }
  > = {}
  for (const [page, questions] of Object.entries(pagesAt(now, newest?.id ?? ""))) {
    for (const question of questions) {
      const times: Array<number> = []
      await gateway.admin(server, `/admin/${question}`)
      const before = await server.usage()
      const stop = probing(`${server.url}/healthz`)
      for (let asked = 0; asked < ASKED; asked++) {
        const began = performance.now()
        await gateway.admin(server, `/admin/${question}`)
        times.push(performance.now() - began)
      }
      const stallMs = rounded(await stop(), 1)
      times.sort((a, b) => a - b)
      const cpuMs = rounded(((await server.usage()).cpuUs - before.cpuUs) / 1000 / ASKED, 1)
      const [medianMs, slowestMs] = [rounded(times[ASKED >> 1] ?? 0, 1), rounded(times.at(-1) ?? 0, 1)]
      found[`${page}: ${question}`] = { medianMs, slowestMs, cpuMs, stallMs }
      const mark = medianMs > MOST_MS ? `  over ${MOST_MS} ms` : ""
      console.log(
        `${page.padEnd(24)}${question.slice(0, 60).padEnd(62)}${medianMs} ms, slowest ${slowestMs} ms, CPU ${cpuMs} ms, others ${stallMs} ms${mark}`
      )
    }
  }
  return { pages: found }
}

/** Asks for a page that costs nothing until it is stopped, which returns the longest wait in ms: what other callers wait. */
function probing(url: string): () => Promise<number> {
  const probe = { isOpen: true }
  const asking = (async () => {
    let longest = 0
    while (probe.isOpen) {
      const began = performance.now()
      await (await fetch(url)).arrayBuffer()
      longest = Math.max(longest, performance.now() - began)
      await setTimeout(1)
    }
    return longest
  })()
  return () => {
    probe.isOpen = false
    return asking
  }
}
