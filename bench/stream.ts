/**
 * Streams of 200 words, 32 at a time: what one event costs in CPU, bare and through the gateway. Once from an upstream that writes
 * as fast as it can, so that a busy proxy reads several events at once, and once from one that writes an event every 10 ms, so that
 * each comes alone, as from a real model.
 */
import { Bench, say, type Target } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { MODEL, PACE_MS, PACED_MODEL, requestBody, type ShapeName, shapes, STREAM_EVENTS } from "./Workload.ts"

const FAST = { concurrency: 32, body: requestBody(MODEL, true) }
/** Streams from each server before the first round. */
const WARM_UP = 1_000
const PACED = { concurrency: 64, body: requestBody(PACED_MODEL, true) }

const CPU = "CPU, µs/event"

const BRIDGED = ["responses", "messages"] as const

await Bench.run("stream", async (bench) => {
  const { rounds, seconds } = bench.options
  const { bare, gateway, starts } = await bench.startProxies()

  const turn = async (
    target: Target,
    { body, concurrency }: typeof FAST,
    length: number,
    shape: ShapeName = "chat"
  ): Promise<Figures> => {
    const { cpuUs, elapsed, events, firstP50, firstP99, p50, p99, rssMb } = await bench.turn(target, {
      body,
      shape,
      stream: true,
      pace: { concurrency },
      seconds: length
    })
    return {
      [CPU]: rounded(cpuUs / events, 3),
      "events/s": rounded(events / (elapsed / 1000), 0),
      "first event p50, ms": rounded(firstP50, 3),
      "first event p99, ms": rounded(firstP99, 3),
      "whole stream p50, ms": rounded(p50, 1),
      "whole stream p99, ms": rounded(p99, 1),
      "RSS, MiB": rssMb
    }
  }

  const fast = { bare: [] as Array<Figures>, gateway: [] as Array<Figures> }
  const paced = { bare: [] as Array<Figures>, gateway: [] as Array<Figures> }
  /** The same chat, asked for in other shapes: every event is translated. */
  const bridged = { responses: [] as Array<Figures>, messages: [] as Array<Figures> }
  for (const target of [bare, gateway]) {
    await bench.warmUp(target, WARM_UP, { body: FAST.body, stream: true, pace: { concurrency: FAST.concurrency } })
  }
  for (const shape of BRIDGED) {
    await bench.warmUp(gateway, WARM_UP, {
      body: shapes[shape].body,
      shape,
      stream: true,
      pace: { concurrency: FAST.concurrency }
    })
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    // Who goes first changes, so that a machine that gets slower or faster favours nobody.
    const order = round % 2 === 0 ? (["bare", "gateway"] as const) : (["gateway", "bare"] as const)
    const targets = { bare, gateway }
    for (const name of order) fast[name].push(await turn(targets[name], FAST, seconds))
    for (const name of order) paced[name].push(await turn(targets[name], PACED, seconds))
    for (const shape of BRIDGED)
      bridged[shape].push(await turn(gateway, { ...FAST, body: shapes[shape].body }, seconds, shape))
  }
  const ledger = await bench.books(gateway)

  const ratio = { fast: ratios(fast.gateway, fast.bare, CPU), paced: ratios(paced.gateway, paced.bare, CPU) }
  console.log(`\nmin / median / max of ${rounds} rounds; ${STREAM_EVENTS.length} events a stream\n`)
  console.log(table(`as fast as it goes, ${FAST.concurrency} at a time`, fast))
  console.log(`\n${table(`an event every ${PACE_MS} ms, ${PACED.concurrency} at a time`, paced)}`)
  console.log(`\n${table("start", starts)}`)
  for (const [name, { median, rounds }] of Object.entries(ratio)) {
    console.log(`\nCPU per event, gateway over bare, ${name}: ${median} (rounds: ${rounds.join(", ")})`)
  }
  const translated = {
    responses: ratios(bridged.responses, fast.gateway, CPU),
    messages: ratios(bridged.messages, fast.gateway, CPU)
  }
  console.log(`\n${table("bridged to chat, as fast as it goes", bridged)}`)
  for (const [name, { median, rounds }] of Object.entries(translated)) {
    console.log(
      `\nCPU per event, ${name} bridged to chat over chat passed through: ${median} (rounds: ${rounds.join(", ")})`
    )
  }
  console.log(`ledger: ${ledger.requests} streams, ${ledger.costUsd} USD, exactly what was served\n`)

  return {
    fast: {
      concurrency: FAST.concurrency,
      bare: spreads(fast.bare),
      gateway: spreads(fast.gateway),
      ratio: ratio.fast
    },
    paced: {
      concurrency: PACED.concurrency,
      bare: spreads(paced.bare),
      gateway: spreads(paced.gateway),
      ratio: ratio.paced
    },
    bridged: {
      responses: { ...spreads(bridged.responses), ratio: translated.responses },
      messages: { ...spreads(bridged.messages), ratio: translated.messages }
    },
    start: { bare: spreads(starts.bare), gateway: spreads(starts.gateway) },
    ledger
  }
})
