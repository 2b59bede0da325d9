/**
 * The gateway with several settings of V8's heap, in turns: CPU of a plain request at 32 at a time, the p99 at 1,000 a second, and
 * memory under load and after it. A larger young generation trades memory for collections, growth trades memory for full ones.
 *
 *   npm run bench:heap -- [--heaps "16/50 32/50 64/100:--single-threaded-gc"]
 */
import { setTimeout as wait } from "node:timers/promises"
import { Bench, say, type Target, WARM_UP } from "./Bench.ts"
import { type Figures, rounded, table } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { MODEL, requestBody } from "./Workload.ts"

const CONCURRENCY = 32
const RATE = 1000
/** After this much silence a gateway has given back what it will give back, ms. */
const QUIET_MS = 45_000
const HEAPS = "16/50 16/100 32/50 32/100:--no-parallel-scavenge 64/100:--no-parallel-scavenge"

const body = requestBody(MODEL, false)

await Bench.run(
  "heap",
  async (bench) => {
    const { folder, more, rounds, seconds } = bench.options
    const names = String(more["heaps"]).split(" ")
    const started: Array<Gateway> = []
    const start = async (name: string): Promise<Target> => {
      const [sizes = "", ...others] = name.split(":")
      const [young, growth] = sizes.split("/")
      const node = [`--max-semi-space-size=${young}`, `--heap-growing-percent=${growth}`, ...others]
      const gateway = new Gateway(bench.upstream.url, { folder, node })
      started.push(gateway)
      const server = bench.adopt(await gateway.start(name))
      await gateway.makeKey(server)
      return { server, key: gateway.key }
    }
    const turn = (target: Target, pace: { concurrency: number } | { rate: number }) =>
      bench.turn(target, { body, stream: false, pace, seconds })
    try {
      const targets = new Map<string, Target>()
      for (const name of names) targets.set(name, await start(name))
      const figures: Record<string, Array<Figures>> = Object.fromEntries(names.map((name) => [name, []]))
      const idle = new Map<string, number>()
      for (const [name, target] of targets) idle.set(name, rounded((await target.server.usage()).rss / 2 ** 20, 1))
      for (const target of targets.values()) {
        await bench.warmUp(target, WARM_UP, { body, stream: false, pace: { concurrency: CONCURRENCY } })
      }
      for (let round = 0; round < rounds; round++) {
        say(`round ${round + 1} of ${rounds}`)
        for (const name of round % 2 === 0 ? names : names.toReversed()) {
          const target = targets.get(name)!
          const fast = await turn(target, { concurrency: CONCURRENCY })
          const slow = await turn(target, { rate: RATE })
          figures[name]!.push({
            "CPU, µs/request": rounded(fast.cpuUs / fast.requests),
            "p99 at 32, ms": rounded(fast.p99, 3),
            "CPU at 1,000/s, µs": rounded(slow.cpuUs / slow.requests),
            "p99 at 1,000/s, ms": rounded(slow.p99, 3),
            "RSS under load, MiB": fast.rssMb
          })
        }
      }
      await wait(QUIET_MS)
      for (const [name, target] of targets) {
        const quiet = rounded((await target.server.usage()).rss / 2 ** 20, 1)
        figures[name] = figures[name]!.map((one) => ({
          ...one,
          "RSS at start, MiB": idle.get(name)!,
          "RSS when quiet again, MiB": quiet
        }))
      }
      console.log(`\n${table("semi-space MB / growth %", figures)}\n`)
      return figures
    } finally {
      for (const gateway of started) gateway.remove()
    }
  },
  {
    help: "\n--heaps LIST    what to compare, separated by blanks: MB of a semi-space / per cent of growth, then other options of V8's, each after a colon",
    options: { heaps: { type: "string", default: HEAPS } }
  }
)
