/**
 * The gateway beside what users compare it with: LiteLLM's proxy and Portkey's gateway, each as its documents say for production, and
 * the bare proxy, all before the same upstream, in turns. Plain requests and streams at 32 at a time, then a fixed rate.
 *
 *   npm run bench:peers -- [--peers litellm,portkey] [--rounds N] [--seconds N]
 *
 * What can't be installed here, or answers wrongly, is a line and has no column.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { Bench, firstAnswer, say, type Target, WARM_UP } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { Field } from "./peers/Field.ts"
import { liteLlm } from "./peers/LiteLlm.ts"
import type { Peer, PreparedPeer } from "./peers/Peer.ts"
import { portkey } from "./peers/Portkey.ts"
import { MODEL, requestBody, STREAM_EVENTS } from "./Workload.ts"

const CONCURRENCY = 32
/** A second. Who does not get that far is asked for a part of what it did at 32 at a time. */
const RATE = 1000
const PART = 0.5
const STARTS = 3

const CPU = "CPU, µs/request"
const PER_EVENT = "CPU, µs/event"

const known: Readonly<Record<string, Peer>> = { litellm: liteLlm, portkey }

await Bench.run("peers", measured, {
  help: `\n--peers LIST    some of them: ${Object.keys(known).join(", ")}`,
  options: { peers: { type: "string", default: Object.keys(known).join(",") } }
})

async function measured(bench: Bench) {
  const peers = chosen(String(bench.options.more["peers"]))
  const folder = mkdtempSync(join(bench.options.folder ?? tmpdir(), "gateway-peers-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const field = new Field()
  const { bare, gateway, starts } = await bench.startProxies()
  await field.add(bare, starts.bare)
  await field.add(gateway, starts.gateway)
  for (const peer of peers) {
    await field.attempt(peer.name, async () => {
      const prepared = await peer.prepare(bench.upstream.url, folder)
      await field.add(...(await started(bench, peer, prepared)))
    })
  }
  const load = rounded(loadavg()[0] ?? 0, 1)
  await race(bench, field)
  const ledger = await bench.books(gateway)
  const setUps = peers.map(({ name, setUp }) => `${name}: ${setUp}`)
  return { load, ...told(bench, field, load, setUps), missing: field.missing, setUps, ledger }
}

function chosen(list: string): ReadonlyArray<Peer> {
  return list.split(",").map((name) => {
    const peer = known[name]
    if (peer === undefined)
      throw new Error(`--peers takes ${Object.keys(known).join(", ")}, separated by commas, not ${name}`)
    return peer
  })
}

/** A few times over, for the time to the first answer; the last one stays. */
async function started(bench: Bench, peer: Peer, prepared: PreparedPeer): Promise<[Target, ReadonlyArray<Figures>]> {
  const { headers, key } = prepared
  const start = async (): Promise<[Target, Figures]> => {
    say(`starting ${peer.name}`)
    const target = { server: bench.adopt(await prepared.start()), key, peer: { headers } }
    return [target, await firstAnswer(target)]
  }
  let [target, figures] = await start()
  const all = [figures]
  while (all.length < STARTS) {
    await target.server.stop()
    ;[target, figures] = await start()
    all.push(figures)
  }
  return [target, all]
}

/** Fills in the figures of all. */
async function race(bench: Bench, field: Field): Promise<void> {
  const { rounds, seconds } = bench.options
  const pace = { concurrency: CONCURRENCY }
  const plainJob = { body: requestBody(MODEL, false), stream: false }
  const streamJob = { body: requestBody(MODEL, true), stream: true }
  const rates = new Map<string, number>()
  await field.turns(0, async ({ target }) => {
    await bench.warmUp(target, WARM_UP, { ...plainJob, pace })
    await bench.warmUp(target, WARM_UP / STREAM_EVENTS.length, { ...streamJob, pace })
  })
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    await field.turns(round, async ({ plain, target }, name) => {
      const { cpuUs, elapsed, p50, p99, requests, rssMb } = await bench.turn(target, { ...plainJob, pace, seconds })
      const perSecond = requests / (elapsed / 1000)
      if (!rates.has(name)) rates.set(name, Math.min(RATE, Math.ceil((PART * perSecond) / 10) * 10))
      plain.push({
        [CPU]: rounded(cpuUs / requests, 1),
        "requests/s": rounded(perSecond, 0),
        "p50, ms": rounded(p50, 3),
        "p99, ms": rounded(p99, 3),
        "RSS, MiB": rssMb
      })
    })
    await field.turns(round, async ({ streams, target }) => {
      const { cpuUs, elapsed, firstP50, requests } = await bench.turn(target, { ...streamJob, pace, seconds })
      const events = requests * STREAM_EVENTS.length
      streams.push({
        [PER_EVENT]: rounded(cpuUs / events, 2),
        "events/s": rounded(events / (elapsed / 1000), 0),
        "first event p50, ms": rounded(firstP50, 3)
      })
    })
    await field.turns(round, async ({ steady, target }, name) => {
      const rate = rates.get(name) ?? RATE
      const { cpuUs, p50, p99, requests } = await bench.turn(target, { ...plainJob, pace: { rate }, seconds })
      steady.push({
        "requests/s": rate,
        [CPU]: rounded(cpuUs / requests, 1),
        "p50, ms": rounded(p50, 3),
        "p99, ms": rounded(p99, 3)
      })
    })
  }
}

/** Prints the figures, and gives them back for programs. */
function told(bench: Bench, field: Field, load: number, setUps: ReadonlyArray<string>): object {
  const { rounds, seconds } = bench.options
  const starts = field.columns(({ idleMb, starts }) => starts.map((start) => ({ ...start, "RSS then, MiB": idleMb })))
  console.log(`\nmin / median / max of ${rounds} rounds of ${seconds} s; load average before them ${load}\n`)
  console.log(
    table(
      `${CONCURRENCY} at a time`,
      field.columns(({ plain }) => plain)
    )
  )
  console.log(
    `\n${table(
      `${CONCURRENCY} streams at a time`,
      field.columns(({ streams }) => streams)
    )}`
  )
  console.log(
    `\n${table(
      "at a fixed rate",
      field.columns(({ steady }) => steady)
    )}`
  )
  console.log(`\n${table("start", starts)}\n`)
  const [bare, ...others] = [...field.entrants].map(([name, entrant]) => ({ name, ...entrant }))
  const overBare = others.map(({ name, plain, streams }) => ({
    name,
    perRequest: ratios(plain, bare!.plain, CPU),
    perEvent: ratios(streams, bare!.streams, PER_EVENT)
  }))
  for (const { name, perEvent, perRequest } of overBare) {
    console.log(`- ${name} over bare, CPU: ${perRequest.median} per request, ${perEvent.median} per event`)
  }
  for (const line of [...setUps, ...field.missing]) console.log(`- ${line}`)
  console.log()
  const figures = [...field.entrants].map(([name, { idleMb, plain, starts, steady, streams }]) => [
    name,
    { plain: spreads(plain), streams: spreads(streams), steady: spreads(steady), start: spreads(starts), idleMb }
  ])
  return { figures: Object.fromEntries(figures), overBare }
}
