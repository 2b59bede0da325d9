/**
 * Plain chat requests: what one costs in CPU, bare and through the gateway, at 32 at a time, and what it adds to the time of an
 * answer at a fixed 1,000 a second, where neither is busy; and what one costs where the upstream takes its time, so that each
 * reservation is on the disk long before its answer comes. At 1,000 a second there is also a bare proxy that brings a line to the disk
 * before each answer.
 */
import { measureAgainst } from "./Against.ts"
import { Bench, say, type Target, WARM_UP } from "./Bench.ts"
import { differences, type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import type { Job } from "./Job.ts"
import { MODEL, requestBody, SLOW_MODEL, SLOW_MS } from "./Workload.ts"

const CONCURRENCY = 32
const RATE = 1000
/** At an upstream that takes its time. */
const WAITING = 256

const quick = requestBody(MODEL, false)
const slow = requestBody(SLOW_MODEL, false)

const CPU = "CPU, µs/request"
const P50 = "p50, ms"
const P99 = "p99, ms"

await Bench.run("proxy", measured, {
  help: `
--against REF   compares this checkout with that commit instead, in turns; use about 9 rounds`,
  options: { against: { type: "string" } }
})

async function measured(bench: Bench): Promise<object> {
  const { more, rounds, seconds } = bench.options
  if (typeof more["against"] === "string") return measureAgainst(bench, more["against"])
  const { bare, gateway, starts } = await bench.startProxies()
  const direct: Target = { server: bench.upstream, key: "none" }
  const synced = await bench.startBareOnDisk()

  const turn = async (target: Target, pace: Job["pace"], length: number, body = quick): Promise<Figures> => {
    const measured = await bench.turn(target, { body, stream: false, pace, seconds: length })
    const { cpuUs, elapsed, max, p50, p99, requests, rssMb } = measured
    return {
      [CPU]: rounded(cpuUs / requests),
      "requests/s": rounded(requests / (elapsed / 1000), 0),
      [P50]: rounded(p50, 3),
      [P99]: rounded(p99, 3),
      "longest, ms": rounded(max, 1),
      "RSS, MiB": rssMb
    }
  }

  const closed = { bare: [] as Array<Figures>, gateway: [] as Array<Figures> }
  const open = {
    direct: [] as Array<Figures>,
    bare: [] as Array<Figures>,
    synced: [] as Array<Figures>,
    gateway: [] as Array<Figures>
  }
  const waiting = { bare: [] as Array<Figures>, gateway: [] as Array<Figures> }
  // Responses of the cache, which calls no upstream.
  const hits: Array<Figures> = []
  const caching: Target = {
    ...gateway,
    key: await bench.gateway.newKey(gateway.server, { cache: { mode: "on", ttl_seconds: 86_400 } })
  }
  for (const target of [bare, synced, gateway, caching]) {
    await bench.warmUp(target, WARM_UP, { body: quick, stream: false, pace: { concurrency: CONCURRENCY } })
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    // Who goes first changes, so that a machine that gets slower or faster favours nobody.
    const order = round % 2 === 0 ? (["bare", "gateway"] as const) : (["gateway", "bare"] as const)
    const targets = { bare, gateway }
    for (const name of order) closed[name].push(await turn(targets[name], { concurrency: CONCURRENCY }, seconds))
    hits.push(await turn(caching, { concurrency: CONCURRENCY }, seconds))
    for (const name of order) open[name].push(await turn(targets[name], { rate: RATE }, seconds))
    for (const name of order) {
      waiting[name].push(await turn(targets[name], { concurrency: WAITING }, seconds, slow))
    }
    open.direct.push(await turn(direct, { rate: RATE }, seconds))
    open.synced.push(await turn(synced, { rate: RATE }, seconds))
  }
  const ledger = await bench.books(gateway)

  const ratio = ratios(closed.gateway, closed.bare, CPU)
  const hitRatio = ratios(hits, closed.bare, CPU)
  const waitingRatio = ratios(waiting.gateway, waiting.bare, CPU)
  const added = {
    overBare: differences(open.gateway, open.bare, P99),
    overSynced: differences(open.gateway, open.synced, P99),
    overDirect: differences(open.gateway, open.direct, P99),
    medianOverBare: differences(open.gateway, open.bare, P50)
  }
  console.log(`\nmin / median / max of ${rounds} rounds\n`)
  console.log(table(`${CONCURRENCY} at a time`, closed))
  console.log(`\n${table("the same from the response cache", { bare: closed.bare, hits })}`)
  console.log(`\n${table(`${RATE} a second`, open)}`)
  console.log(`\n${table(`${WAITING} at a time, ${SLOW_MS} ms each`, waiting)}`)
  console.log(`\n${table("start", starts)}`)
  console.log(`\nCPU per request, gateway over bare: ${ratio.median} (rounds: ${ratio.rounds.join(", ")})`)
  console.log(`… of a hit of the response cache: ${hitRatio.median} (rounds: ${hitRatio.rounds.join(", ")})`)
  console.log(
    `… where the upstream takes ${SLOW_MS} ms: ${waitingRatio.median} (rounds: ${waitingRatio.rounds.join(", ")})`
  )
  console.log(
    `p99 added at ${RATE} requests/s: ${added.overBare.median} ms over bare, ${added.overSynced.median} ms over bare on disk, ${added.overDirect.median} ms over the upstream itself`
  )
  console.log(`ledger: ${ledger.requests} requests, ${ledger.costUsd} USD, exactly what was served\n`)

  return {
    closed: { concurrency: CONCURRENCY, bare: spreads(closed.bare), gateway: spreads(closed.gateway), ratio },
    hits: { concurrency: CONCURRENCY, gateway: spreads(hits), ratio: hitRatio },
    open: {
      rate: RATE,
      direct: spreads(open.direct),
      bare: spreads(open.bare),
      synced: spreads(open.synced),
      gateway: spreads(open.gateway),
      ratio: ratios(open.gateway, open.bare, CPU),
      p99AddedMs: added
    },
    waiting: {
      concurrency: WAITING,
      bare: spreads(waiting.bare),
      gateway: spreads(waiting.gateway),
      ratio: waitingRatio
    },
    start: { bare: spreads(starts.bare), gateway: spreads(starts.gateway) },
    ledger
  }
}
