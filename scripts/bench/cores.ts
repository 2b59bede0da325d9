/**
 * One process against several: CPU per plain request over all processes of the gateway, requests a second, and the memory of a
 * gateway that nobody asks. Each in turns, with a store of its own.
 *
 *   npm run bench:cores -- [--workers 1,2,4] [--rounds N]
 *
 * Requests a second say something only where cores are left over: the load and the upstream take two.
 */
import { availableParallelism } from "node:os"
import { Bench, say, type Target } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { MODEL, requestBody } from "./Workload.ts"

const CONCURRENCY = 32
/** Requests to each process before the first round. */
const WARM_UP = 20_000
/** After the last worker's start, until what starts beside it is there, too. */
const SETTLE_MS = 3_000
const CPU = "CPU, µs/request"
const MEMORY = "RSS idle, MiB"

const body = requestBody(MODEL, false)
const pace = { concurrency: CONCURRENCY }

await Bench.run(
  "cores",
  async (bench) => {
    const { folder, rounds, seconds } = bench.options
    const counts = String(bench.options.more["workers"]).split(",").map(Number)
    if (!counts.every((count) => Number.isInteger(count) && count >= 1))
      throw new Error(`--workers is a list such as 1,2,4, not ${String(bench.options.more["workers"])}`)
    const all: Array<{ readonly name: string; readonly target: Target; readonly figures: Array<Figures> }> = []
    const started: Array<Gateway> = []
    try {
      const idle: Record<string, Array<Figures>> = {}
      for (const workers of counts) {
        const name = `${workers} ${workers === 1 ? "process" : "workers"}`
        const gateway = new Gateway(bench.upstream.url, { folder, workers })
        started.push(gateway)
        const server = bench.adopt(await gateway.start(name))
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
        const { rss } = await server.usage()
        idle[name] = [{ [MEMORY]: rounded(rss / 2 ** 20, 0) }]
        await gateway.makeKey(server)
        const target = { server, key: gateway.key }
        await bench.warmUp(target, WARM_UP * workers, { body, stream: false, pace })
        all.push({ name, target, figures: [] })
      }
      for (let round = 0; round < rounds; round++) {
        say(`round ${round + 1} of ${rounds}`)
        for (const { figures, target } of round % 2 === 0 ? all : all.toReversed()) {
          const { cpuUs, elapsed, p50, p99, requests } = await bench.turn(target, {
            body,
            stream: false,
            pace,
            seconds
          })
          figures.push({
            [CPU]: rounded(cpuUs / requests),
            "requests/s": rounded(requests / (elapsed / 1000), 0),
            "p50, ms": rounded(p50, 3),
            "p99, ms": rounded(p99, 3)
          })
        }
      }
      const measured = Object.fromEntries(all.map(({ figures, name }) => [name, figures]))
      console.log(`\nmin / median / max of ${rounds} rounds, ${availableParallelism()} cores\n`)
      console.log(table(`${CONCURRENCY} at a time`, measured))
      console.log(`\n${table("idle, all processes", idle)}\n`)
      const [first, ...others] = all
      const over = others.map(({ figures, name }) => ({ name, ...ratios(figures, first!.figures, CPU) }))
      for (const { median, name, rounds } of over)
        console.log(`CPU per request, ${name} over ${first!.name}: ${median} (rounds: ${rounds.join(", ")})`)
      console.log()
      const spread = Object.fromEntries(all.map(({ figures, name }) => [name, spreads(figures)]))
      return { cores: availableParallelism(), closed: spread, ratios: over, idle }
    } finally {
      for (const gateway of started) gateway.remove()
    }
  },
  {
    help: "\n--workers LIST  how many workers each gateway has, the first to compare with (1,2,4)",
    options: { workers: { type: "string", default: "1,2,4" } }
  }
)
