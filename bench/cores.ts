/**
 * One gateway on a file against several on one Postgres: CPU per non-streaming request over all gateways, requests a second, and idle
 * memory. The CPU of Postgres is a column of its own, and so is how often a request waited for a larger quota lease before its provider
 * was called.
 *
 *   npm run bench:cores -- [--nodes 1,2,3] [--reserve behind] [--rounds N] [--core 0]
 *     [--at-once 64] [--gateway packages/model-gateway/bin/model-gateway.mjs]
 *
 * Requests a second mean something only where cores are idle: the load and the upstream take two.
 */
import { cpus } from "node:os"
import { Bench, count, say, WARM_UP } from "./Bench.ts"
import { type Compared, Cores } from "./Compared.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { perRequest } from "./Threads.ts"
import { MODEL, requestBody } from "./Workload.ts"

const CPU = "CPU, µs/request"
const FIRST = "of it the first process"

const body = requestBody(MODEL, false)

const listOf = (name: string, text: string): ReadonlyArray<number> => {
  const counts = text.split(",").map(Number)
  if (counts.every((count) => Number.isInteger(count) && count >= 1)) return counts
  throw new Error(`--${name} is a list such as 1,2,4, not ${text}`)
}

const sum = (figures: Figures): number => Object.values(figures).reduce((all, one) => all + one, 0)

const turn = async (bench: Bench, { shared, target }: Compared, concurrency: number): Promise<Figures> => {
  const before = { cpuMs: shared?.cpuMs() ?? 0, questions: (await shared?.questions()) ?? 0 }
  const threads = target.server.threads()
  const round = await bench.turn(target, {
    body,
    stream: false,
    pace: { concurrency },
    seconds: bench.options.seconds
  })
  const { cpuUs, elapsed, p50, p99, requests } = round
  const own = {
    [CPU]: rounded(cpuUs / requests),
    [FIRST]: rounded(sum(perRequest(threads, target.server.threads(), requests))),
    "requests/s": rounded(requests / (elapsed / 1000), 0),
    "p50, ms": rounded(p50, 3),
    "p99, ms": rounded(p99, 3)
  }
  const cpuMs = (shared?.cpuMs() ?? 0) - before.cpuMs
  const questions = ((await shared?.questions()) ?? 0) - before.questions
  return { ...own, "CPU of Postgres, µs/request": rounded((1000 * cpuMs) / requests), "questions first": questions }
}

await Bench.run(
  "cores",
  async (bench) => {
    const { more, rounds } = bench.options
    const concurrency = count("at-once", String(more["at-once"]))
    const cores = new Cores(bench)
    try {
      const reserve = more["reserve"] === "behind" ? "behind" : "wait"
      await cores.onFile()
      for (const nodes of listOf("nodes", String(more["nodes"]))) await cores.onPostgres(nodes, reserve)
      const all = cores.compared.map((compared) => ({ ...compared, figures: [] as Array<Figures> }))
      const cold = all.map(({ count, target }) => ({ target, requests: WARM_UP * count }))
      await bench.warmUpAll(cold, { body, stream: false, pace: { concurrency } })
      for (let round = 0; round < rounds; round++) {
        say(`round ${round + 1} of ${rounds}`)
        for (const one of round % 2 === 0 ? all : all.toReversed())
          one.figures.push(await turn(bench, one, concurrency))
      }
      const measured = Object.fromEntries(all.map(({ figures, name }) => [name, figures]))
      const idle = Object.fromEntries(
        all.map(({ idleRss, idleTogether, name }) => [
          name,
          [
            {
              "RSS idle, MiB": rounded(idleRss / 2 ** 20, 0),
              "shared pages counted once": rounded(idleTogether / 2 ** 20, 0)
            }
          ]
        ])
      )
      console.log(`\nmin / median / max of ${rounds} rounds, ${cpus().length} cores\n`)
      console.log(table(`${concurrency} at a time`, measured))
      console.log(`\n${table("idle, all processes", idle)}\n`)
      const over = all.flatMap(({ figures, name }) => {
        const first = all[0]!
        return first.name === name ? [] : [{ name, over: first.name, ...ratios(figures, first.figures, CPU) }]
      })
      for (const { median, name, over: first, rounds } of over)
        console.log(`CPU per request, ${name} over ${first}: ${median} (rounds: ${rounds.join(", ")})`)
      console.log()
      const spread = Object.fromEntries(all.map(({ figures, name }) => [name, spreads(figures)]))
      return { cores: cpus().length, concurrency, closed: spread, ratios: over, idle }
    } finally {
      await cores.close()
    }
  },
  {
    help: `
--nodes LIST    how many gateways share a Postgres (1,2,3)
--reserve MODE  of those: wait, or behind (wait)
--at-once N     requests at a time (32)`,
    options: {
      nodes: { type: "string", default: "1,2,3" },
      reserve: { type: "string" },
      "at-once": { type: "string", default: "32" }
    }
  }
)
