/**
 * Two versions of the gateway in turns: whether the one of this checkout is slower than another one. CPU per plain request and per
 * event of a stream, 32 at a time, each version in its own process with its own store, round by round.
 *
 *   npm run bench:against -- --gateway OTHER/packages/model-gateway/src/main.ts [--rounds 9]
 */
import { Bench, say, type Target, WARM_UP } from "./Bench.ts"
import { type Figures, medianInterval, ratios, rounded, spreads, table } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { MODEL, requestBody, STREAM_EVENTS } from "./Workload.ts"

const CONCURRENCY = 32
const kinds = [
  { name: "plain", unit: "CPU, µs/request", stream: false, per: 1 },
  { name: "streams", unit: "CPU, µs/event", stream: true, per: STREAM_EVENTS.length }
] as const

await Bench.run("against", async (bench) => {
  const { entry, folder, rounds, seconds } = bench.options
  if (entry === undefined) throw new Error("--gateway FILE is required: the cli/main.ts of the other checkout")
  const started: Array<Gateway> = []
  const start = async (name: string, main: string | undefined): Promise<Target> => {
    const gateway = new Gateway(bench.upstream.url, { folder, entry: main })
    started.push(gateway)
    const server = bench.adopt(await gateway.start(name))
    await gateway.makeKey(server)
    return { server, key: gateway.key }
  }
  try {
    const targets = { before: await start("before", entry), now: await start("now", undefined) }
    const measured: Record<string, object> = {}
    for (const { name, per, stream, unit } of kinds) {
      const body = requestBody(MODEL, stream)
      const pace = { concurrency: CONCURRENCY }
      for (const target of Object.values(targets)) await bench.warmUp(target, WARM_UP / per, { body, stream, pace })
      const figures = { before: [] as Array<Figures>, now: [] as Array<Figures> }
      for (let round = 0; round < rounds; round++) {
        say(`${name}, round ${round + 1} of ${rounds}`)
        const order = round % 2 === 0 ? (["before", "now"] as const) : (["now", "before"] as const)
        for (const version of order) {
          const { cpuUs, events, requests } = await bench.turn(targets[version], { body, stream, pace, seconds })
          figures[version].push({ [unit]: rounded(cpuUs / (stream ? events : requests)) })
        }
      }
      const ratio = ratios(figures.now, figures.before, unit)
      const { high, low } = medianInterval(ratio.rounds)
      console.log(`\n${table(name, figures)}`)
      console.log(
        `now over before: median ${ratio.median}, 95 % interval ${low} to ${high} (${ratio.rounds.join(", ")})`
      )
      measured[name] = { before: spreads(figures.before), now: spreads(figures.now), ratio: { ...ratio, low, high } }
    }
    console.log()
    return measured
  } finally {
    for (const gateway of started) gateway.remove()
  }
})
