/** Bytes that a plain request and an event of a stream allocate, through the bare proxy and the gateway, by room. */
import { Bench, say, type Target, WARM_UP } from "./Bench.ts"
import { rounded } from "./Figures.ts"
import { functionOf, HeapSampler, samplable } from "./HeapSampler.ts"
import { MODEL, requestBody, STREAM_EVENTS } from "./Workload.ts"

const PACE = { concurrency: 32 }
/** Rooms that allocate less are summed up. */
const LEAST_SHARE = 0.005

const kinds = [
  { name: "plain", per: "request", stream: false },
  { name: "streams", per: "event", stream: true }
] as const

type Rooms = Readonly<Record<string, number>>

/** The largest first; bytes for each request or event. */
const sorted = (rooms: ReadonlyMap<string, number>, count: number): Rooms => {
  const total = [...rooms.values()].reduce((sum, bytes) => sum + bytes, 0)
  const large = [...rooms].filter(([, bytes]) => bytes >= total * LEAST_SHARE).sort(([, a], [, b]) => b - a)
  const rest = total - large.reduce((sum, [, bytes]) => sum + bytes, 0)
  const perOne = (bytes: number) => rounded(bytes / count, 0)
  return {
    total: perOne(total),
    ...Object.fromEntries(large.map(([room, bytes]) => [room, perOne(bytes)])),
    "all others": perOne(rest)
  }
}

const shown = (rooms: Rooms): string => {
  const width = Math.max(...Object.keys(rooms).map((room) => room.length))
  return Object.entries(rooms)
    .map(([room, bytes]) => `  ${room.padEnd(width)} ${bytes.toLocaleString("en-US").padStart(9)}`)
    .join("\n")
}

await Bench.run(
  "allocation",
  async (bench) => {
    const { bare, gateway } = await bench.startProxies()
    const measured: Record<string, Record<string, Rooms>> = {}
    const byFunction = bench.options.more["functions"] === true
    const survivors = bench.options.more["survivors"] === true
    for (const { name, per, stream } of kinds) {
      const body = requestBody(MODEL, stream)
      const found: Record<string, Rooms> = {}
      for (const target of [bare, gateway] satisfies ReadonlyArray<Target>) {
        const warmUp = stream ? WARM_UP / STREAM_EVENTS.length : WARM_UP
        await bench.warmUp(target, warmUp, { body, stream, pace: PACE })
        say(`${name}: ${target.server.name}`)
        const sampler = await HeapSampler.of(target.server)
        const { result, rooms } = await sampler.during(
          () => bench.turn(target, { body, stream, pace: PACE, seconds: bench.options.seconds }),
          byFunction ? functionOf : undefined,
          survivors
        )
        sampler.close()
        found[target.server.name] = sorted(rooms, stream ? result.events : result.requests)
        console.log(`\n${name}, ${target.server.name}: bytes for each ${per}\n${shown(found[target.server.name]!)}`)
      }
      measured[name] = found
    }
    const ledger = await bench.books(gateway)
    console.log()
    return { ...measured, ledger }
  },
  {
    help: `
--functions     by function, not by room
--survivors     only what outlives collections of the young generation, which costs most`,
    options: { functions: { type: "boolean", default: false }, survivors: { type: "boolean", default: false } },
    node: [samplable]
  }
)
