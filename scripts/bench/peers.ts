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
import { NotInstallable } from "../acceptance/Install.ts"
import { Bench, firstAnswer, say, type Target } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { liteLlm } from "./peers/LiteLlm.ts"
import type { Peer } from "./peers/Peer.ts"
import { portkey } from "./peers/Portkey.ts"
import { MODEL, requestBody, STREAM_EVENTS } from "./Workload.ts"

const CONCURRENCY = 32
/** A second. Who does not get that far is asked for a part of what it did at 32 at a time. */
const RATE = 1000
const PART = 0.6
const WARM_UP = 20_000
const STARTS = 3

const peers: Readonly<Record<string, Peer>> = { litellm: liteLlm, portkey }

const CPU = "CPU, µs/request"
const PER_EVENT = "CPU, µs/event"

interface Measured {
  readonly target: Target
  readonly starts: ReadonlyArray<Figures>
  /** Resident memory after the first answer, MiB. */
  readonly idleMb: number
  readonly plain: Array<Figures>
  readonly streams: Array<Figures>
  readonly steady: Array<Figures>
}

await Bench.run("peers", measured, {
  help: `\n--peers LIST    some of them: ${Object.keys(peers).join(", ")}`,
  options: { peers: { type: "string" } }
})

async function measured(bench: Bench) {
  const { folder: place, rounds, seconds } = bench.options
  const names = String(bench.options.more["peers"] ?? Object.keys(peers).join(",")).split(",")
  const unknown = names.filter((name) => peers[name] === undefined)
  if (unknown.length > 0)
    throw new Error(`--peers takes ${Object.keys(peers).join(", ")}, separated by commas, not ${unknown.join(", ")}`)
  const folder = mkdtempSync(join(place ?? tmpdir(), "gateway-peers-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const notMeasured: Array<string> = []
  const all = new Map<string, Measured>()
  const closing: Array<() => Promise<void>> = []
  const add = (target: Target, starts: ReadonlyArray<Figures>, idleMb: number) =>
    all.set(target.server.name, { target, starts, idleMb, plain: [], streams: [], steady: [] })
  const without = (name: string, error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error)
    const kind = error instanceof NotInstallable ? "can't be installed here" : "was left out"
    notMeasured.push(`${name} ${kind}: ${why.split("\n").slice(0, 3).join(" ").slice(0, 300)}`)
    say(notMeasured.at(-1)!)
    all.delete(name)
  }

  try {
    const { bare, gateway, starts } = await bench.startProxies()
    add(bare, starts.bare, await memoryOf(bare))
    add(gateway, starts.gateway, await memoryOf(gateway))
    for (const name of names) {
      const peer = peers[name]!
      try {
        const prepared = await peer.prepare(bench.upstream.url, folder)
        if (prepared.close !== undefined) closing.push(prepared.close)
        const started: Array<Figures> = []
        let target: Target | undefined
        for (let start = 0; start < STARTS; start++) {
          await target?.server.stop()
          say(`starting ${peer.name}`)
          target = {
            server: bench.adopt(await prepared.start()),
            key: prepared.key,
            peer: { headers: prepared.headers }
          }
          started.push(await firstAnswer(target))
        }
        add(target!, started, await memoryOf(target!))
      } catch (error) {
        without(peer.name, error)
      }
    }

    /** One turn of everyone who is left; who answers wrongly leaves, unless it is ours. */
    const each = async (round: number, turn: (one: Measured, name: string) => Promise<void>): Promise<void> => {
      const order = [...all]
      // Who goes first changes, so that a machine that gets slower or faster favours nobody.
      for (const [name, one] of round % 2 === 0 ? order : order.toReversed()) {
        try {
          await turn(one, name)
        } catch (error) {
          if (one.target.peer === undefined) throw error
          without(name, error)
        }
      }
    }
    const job = (isStream: boolean) => ({ body: requestBody(MODEL, isStream), stream: isStream })
    const pace = { concurrency: CONCURRENCY }

    await each(0, async ({ target }) => {
      await bench.warmUp(target, WARM_UP, { ...job(false), pace })
      await bench.warmUp(target, WARM_UP / STREAM_EVENTS.length, { ...job(true), pace })
    })
    const rates = new Map<string, number>()
    const load = loadavg()[0] ?? 0
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`)
      await each(round, async ({ plain, target }, name) => {
        const { cpuUs, elapsed, p50, p99, requests, rssMb } = await bench.turn(target, { ...job(false), pace, seconds })
        const perSecond = requests / (elapsed / 1000)
        if (!rates.has(name)) rates.set(name, Math.min(RATE, Math.floor((PART * perSecond) / 10) * 10))
        plain.push({
          [CPU]: rounded(cpuUs / requests, 1),
          "requests/s": rounded(perSecond, 0),
          "p50, ms": rounded(p50, 3),
          "p99, ms": rounded(p99, 3),
          "RSS, MiB": rssMb
        })
      })
      await each(round, async ({ streams, target }) => {
        const { cpuUs, elapsed, firstP50, requests } = await bench.turn(target, { ...job(true), pace, seconds })
        // Of the upstream: others may join or split what they pass on.
        const events = requests * STREAM_EVENTS.length
        streams.push({
          [PER_EVENT]: rounded(cpuUs / events, 2),
          "events/s": rounded(events / (elapsed / 1000), 0),
          "first event p50, ms": rounded(firstP50, 3)
        })
      })
      await each(round, async ({ steady, target }, name) => {
        const rate = rates.get(name)!
        const { cpuUs, p50, p99, requests } = await bench.turn(target, { ...job(false), pace: { rate }, seconds })
        steady.push({
          "requests/s": rate,
          [CPU]: rounded(cpuUs / requests, 1),
          "p50, ms": rounded(p50, 3),
          "p99, ms": rounded(p99, 3)
        })
      })
    }
    const ledger = await bench.books(gateway)

    const columns = (of: (one: Measured) => ReadonlyArray<Figures>) =>
      Object.fromEntries([...all].map(([name, one]) => [name, of(one)]))
    const perRequest = [...all].map(([name, one]) => ({
      name,
      plain: ratios(one.plain, all.get("bare")!.plain, CPU),
      streams: ratios(one.streams, all.get("bare")!.streams, PER_EVENT)
    }))
    console.log(
      `\nmin / median / max of ${rounds} rounds of ${seconds} s; load average before them ${load.toFixed(1)}\n`
    )
    console.log(
      table(
        `${CONCURRENCY} at a time`,
        columns(({ plain }) => plain)
      )
    )
    console.log(
      `\n${table(
        `${CONCURRENCY} streams at a time`,
        columns(({ streams }) => streams)
      )}`
    )
    console.log(
      `\n${table(
        "at a fixed rate",
        columns(({ steady }) => steady)
      )}`
    )
    console.log(
      `\n${table(
        "start",
        columns(({ idleMb, starts }) => starts.map((start) => ({ ...start, "RSS then, MiB": idleMb })))
      )}`
    )
    for (const { name, plain, streams } of perRequest.slice(1)) {
      console.log(`\n${name} over bare, CPU: ${plain.median} per request, ${streams.median} per event`)
    }
    for (const name of names) console.log(`\n- ${peers[name]!.name}: ${peers[name]!.setUp}.`)
    for (const line of notMeasured) console.log(`\n- ${line}`)
    console.log(`\nledger: ${ledger.requests} requests, ${ledger.costUsd} USD, exactly what was served\n`)
    return {
      load,
      ...Object.fromEntries(
        [...all].map(([name, one]) => [
          name,
          {
            plain: spreads(one.plain),
            streams: spreads(one.streams),
            steady: spreads(one.steady),
            start: spreads(one.starts),
            idleMb: one.idleMb
          }
        ])
      ),
      ratios: perRequest,
      setUp: Object.fromEntries(names.map((name) => [name, peers[name]!.setUp])),
      notMeasured,
      ledger
    }
  } finally {
    for (const close of closing) await close()
  }
}

async function memoryOf({ server }: Target): Promise<number> {
  return rounded((await server.usage()).rss / 2 ** 20, 0)
}
