/**
 * What size costs: a gateway with a million keys, a thousand deployments and ten million ledger rows beside one with next to
 * nothing, under the same load; how long its administrators wait; what a key costs in memory.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Bench, firstAnswer, say, type Target, WARM_UP } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import type { Memory } from "./memory.ts"
import { ask, ASKED } from "./questions.ts"
import { credentialOf, seed, type Sizes } from "./Seed.ts"
import { MODEL, requestBody } from "./Workload.ts"

const CONCURRENCY = 32
/** Keys that take turns where many callers are measured. */
const MANY = 1000

const CPU = "CPU, µs/request"

const options = {
  help: `
--keys N        virtual keys of the large gateway (1000000)
--deployments N its deployments (1000)
--rows N        rows of its ledger, spread over the last year (10000000)
--callers N     keys that those rows are of, a few with most (10000)
--data DIR      where its store is made, or is left from before (a temporary folder)
--keep          leave it there`,
  options: {
    keys: { type: "string", default: "1000000" },
    deployments: { type: "string", default: "1000" },
    rows: { type: "string", default: "10000000" },
    callers: { type: "string", default: "10000" },
    data: { type: "string" },
    keep: { type: "boolean", default: false }
  }
} as const

await Bench.run(
  "scale",
  async (bench) => {
    const { rounds, seconds } = bench.options
    const { callers, data, deployments, keep, keys, rows } = bench.options.more
    const sizes: Sizes = { keys: Number(keys), rows: Number(rows), callers: Math.min(Number(callers), Number(keys)) }
    const folder = String(data ?? mkdtempSync(join(bench.options.folder ?? tmpdir(), "gateway-scale-")))
    mkdirSync(folder, { recursive: true })
    const gateways: Array<Gateway> = []
    process.once("exit", () => {
      for (const gateway of gateways) gateway.remove()
      if (keep !== true) rmSync(folder, { recursive: true, force: true })
    })

    const storeOf = async (name: string, sizes: Sizes): Promise<string> => {
      const path = join(folder, `${name}-${sizes.keys}-${sizes.rows}-${sizes.callers}.db`)
      if (!existsSync(path)) await seed(path, sizes, Date.now())
      return path
    }
    const start = async (name: string, sizes: Sizes, deployments: number) => {
      const store = await storeOf(name, sizes)
      const { entry, folder: place } = bench.options
      const { node } = bench.options
      const gateway = new Gateway(bench.upstream.url, { store, deployments, entry, folder: place, node })
      gateways.push(gateway)
      const first = bench.adopt(await gateway.start())
      const target = { server: first, key: credentialOf(1) }
      const starts = [await firstAnswer(target)]
      for (let again = 1; again < rounds; again++) {
        await target.server.stop()
        target.server = bench.adopt(await gateway.start())
        starts.push(await firstAnswer(target))
      }
      return { gateway, target: target as Target, starts }
    }

    const many = Math.min(MANY, sizes.keys)
    const credentials = Array.from({ length: many }, (_, index) => credentialOf(index + 1))
    const small = await start("one", { keys: 1, rows: 0, callers: 1 }, 0)
    const few = await start("few", { keys: many, rows: 0, callers: 1 }, 0)
    const large = await start("large", sizes, Number(deployments))
    const targets: Record<string, Target> = {
      "1 key, 1 caller": small.target,
      "large, 1 caller": large.target,
      [`${many} keys, all call`]: { ...few.target, keys: credentials },
      [`large, ${many} call`]: { ...large.target, keys: credentials }
    }
    const body = requestBody(MODEL, false)
    const job = { body, stream: false, pace: { concurrency: CONCURRENCY } }
    const figures: Record<string, Array<Figures>> = {}
    for (const [name, target] of Object.entries(targets)) {
      figures[name] = []
      await bench.warmUp(target, WARM_UP, job)
    }
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`)
      const names = Object.keys(targets)
      // Who goes first changes, so that a machine that gets slower or faster favours nobody.
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const { cpuUs, elapsed, p50, p99, requests, rssMb } = await bench.turn(targets[name]!, { ...job, seconds })
        figures[name]!.push({
          [CPU]: rounded(cpuUs / requests, 2),
          "requests/s": rounded(requests / (elapsed / 1000), 0),
          "p50, ms": rounded(p50, 3),
          "p99, ms": rounded(p99, 3),
          "RSS, MiB": rssMb
        })
      }
    }
    const [one, largeOne, all, largeAll] = Object.values(figures)
    const ratio = { one: ratios(largeOne!, one!, CPU), many: ratios(largeAll!, all!, CPU) }

    say("asking the administrator's questions")
    const questions = await ask(large.gateway, large.target, sizes.keys)
    await Promise.all([small, few, large].map(({ target }) => target.server.stop()))

    const memory: Array<Memory> = []
    for (const count of new Set([Math.min(100_000, sizes.keys), sizes.keys])) {
      say(`measuring the memory of ${count} keys`)
      const store = await storeOf("keys", { keys: count, rows: 0, callers: 1 })
      const script = join(import.meta.dirname, "memory.ts")
      const busy = String(Math.min(100_000, count))
      const heap = "--max-old-space-size=8000"
      const arguments_ = ["--expose-gc", heap, "--conditions=model-gateway-source", script, store, String(count), busy]
      memory.push(JSON.parse(execFileSync(process.execPath, arguments_, { encoding: "utf8" })) as Memory)
    }

    const starts = { "1 key": small.starts, large: large.starts }
    console.log(`\nmin / median / max of ${rounds} rounds\n`)
    console.log(table(`${CONCURRENCY} at a time`, figures))
    console.log(`\n${table("start", starts)}`)
    console.log(
      `\nCPU per request, large over small, one caller: ${ratio.one.median} (rounds: ${ratio.one.rounds.join(", ")})`
    )
    console.log(
      `CPU per request, large over small, ${many} callers: ${ratio.many.median} (rounds: ${ratio.many.rounds.join(", ")})`
    )
    console.log(`\n${table(`${ASKED} answers each`, { ms: questions.times, "CPU, ms": [questions.cpu] })}`)
    for (const { busyKeys, bytesPerBudget, bytesPerKey, keys, rateLimitsMb, requestsPerBusyKey } of memory) {
      console.log(
        `\n${keys} keys: ${bytesPerKey} bytes a key; ${busyKeys} of them busy with ${requestsPerBusyKey} requests a minute: ` +
          `${rateLimitsMb} MB of rate limits, ${bytesPerBudget} bytes a budget`
      )
    }
    console.log("")
    return {
      sizes: { ...sizes, deployments: Number(deployments) },
      load: Object.fromEntries(Object.entries(figures).map(([name, rounds]) => [name, spreads(rounds)])),
      ratio,
      start: { small: spreads(small.starts), large: spreads(large.starts) },
      questions: { ms: spreads(questions.times), cpuMs: questions.cpu },
      memory
    }
  },
  options
)
