/**
 * How soon a gateway answers after its start, and what it keeps in memory when nobody asks: packed as it is published, and from source;
 * with one deployment and with a thousand. A first start finds no compiled code of Node's compile cache, later ones do.
 *
 *   npm run bench:start -- [--rounds N] [--packed DIR] [--only packed]
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Bench, firstAnswer, say, type Target } from "./Bench.ts"
import { type Figures, rounded, table } from "./Figures.ts"
import { Gateway, type GatewayOptions } from "./Gateway.ts"
import { ServerProcess } from "./ServerProcess.ts"
import { MODEL, requestBody } from "./Workload.ts"

/** After this much silence a gateway has given back what it will give back, ms. */
const IDLE_MS = 20_000
const QUIET_MS = 45_000
const LOAD = { body: requestBody(MODEL, false), stream: false, pace: { concurrency: 32 } }
const MANY = 1000
const ASK_EVERY_MS = 2
const BARE_KEY = "sk-bench-0123456789abcdef"

/** The figures of one start. */
const timed = async (target: Target): Promise<Figures> => {
  const since = () => rounded(performance.now() - target.server.startedAt, 0)
  const listening = since()
  while (target.server.name !== "bare" && !(await fetch(`${target.server.url}/readyz`)).ok) await wait(ASK_EVERY_MS)
  const ready = since()
  const answered = await firstAnswer(target)
  const cpu = rounded((await target.server.usage()).cpuUs / 1000, 0)
  return { "listening, ms": listening, "ready, ms": ready, ...answered, "CPU until then, ms": cpu }
}

const mib = (bytes: number): number => rounded(bytes / 2 ** 20, 1)

const memoryOf = async ({ server }: Target): Promise<{ readonly all: number; readonly own: number }> => {
  const { own, rss } = await server.memory()
  return { all: mib(rss), own: mib(own) }
}

await Bench.run(
  "start",
  async (bench) => {
    const { entry, folder, more, node, rounds, seconds } = bench.options
    const packed = join(resolve(String(more["packed"])), "bin", "model-gateway.mjs")
    if (!existsSync(join(packed, "..", "..", "dist", "main.js"))) {
      throw new Error(`${resolve(packed, "../..")} is not built: npm run build -- model-gateway`)
    }
    const temporary = mkdtempSync(join(folder ?? tmpdir(), "bench-start-"))
    const made: Array<Gateway> = []
    process.once("exit", () => {
      for (const gateway of made) gateway.remove()
      rmSync(temporary, { recursive: true, force: true })
    })
    const kinds: Readonly<Record<string, Omit<GatewayOptions, "folder" | "env" | "node">>> = {
      packed: { entry: packed },
      [`packed, ${MANY}`]: { entry: packed, deployments: MANY },
      source: { entry }
    }
    const only = more["only"] === undefined ? undefined : String(more["only"]).split("+")
    const names = Object.keys(kinds).filter((name) => only === undefined || only.includes(name))
    if (names.length === 0) throw new Error(`--only takes ${Object.keys(kinds).join(" + ")}`)
    const cacheOf = (name: string) => join(temporary, name.replaceAll(/\W+/g, "-"))

    const gateways = new Map<string, Gateway>()
    for (const name of names) {
      const env = { NODE_COMPILE_CACHE: cacheOf(name) }
      const gateway = new Gateway(bench.upstream.url, { ...kinds[name], folder, node, env })
      made.push(gateway)
      gateways.set(name, gateway)
      const first = bench.adopt(await gateway.start())
      await gateway.makeKey(first)
      await first.stop()
    }
    const start = async (name: string): Promise<Target> => {
      const gateway = gateways.get(name)!
      return { server: bench.adopt(await gateway.start()), key: gateway.key }
    }
    const once = async (target: Target): Promise<Figures> => {
      const figures = await timed(target)
      await target.server.stop()
      return figures
    }

    const starts: Record<string, Array<Figures>> = { bare: [] }
    for (const name of names) Object.assign(starts, { [`${name}, first`]: [], [name]: [] })
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`)
      const bare = [...node, join(import.meta.dirname, "bare.ts"), bench.upstream.url, BARE_KEY]
      starts["bare"]!.push(await once({ server: await ServerProcess.start("bare", bare), key: BARE_KEY }))
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        rmSync(cacheOf(name), { recursive: true, force: true })
        starts[`${name}, first`]!.push(await once(await start(name)))
        starts[name]!.push(await once(await start(name)))
      }
    }
    console.log(`\nmin / median / max of ${rounds} starts\n\n${table("start", starts)}\n`)

    const memory: Record<string, Array<Figures>> = {}
    const targets = new Map<string, Target>()
    for (const name of names) {
      const target = await start(name)
      await firstAnswer(target)
      targets.set(name, target)
    }
    say("idle")
    await wait(IDLE_MS)
    const idle = new Map<string, Awaited<ReturnType<typeof memoryOf>>>()
    for (const [name, target] of targets) idle.set(name, await memoryOf(target))
    const loaded = new Map<string, number>()
    for (const [name, target] of targets) {
      say(`load: ${name}`)
      loaded.set(name, (await bench.turn(target, { ...LOAD, seconds })).rssMb)
    }
    await wait(QUIET_MS)
    for (const [name, target] of targets) {
      const { all, own } = idle.get(name)!
      memory[name] = [
        {
          "idle, MiB": all,
          "of it not Node's program": own,
          "under load, MiB": loaded.get(name)!,
          "quiet again, MiB": (await memoryOf(target)).all
        }
      ]
    }
    console.log(`${table("resident", memory)}\n`)
    return { starts, memory }
  },
  {
    help: `
--packed DIR    the folder of the package model-gateway, built (packages/model-gateway)
--only NAMES    some of packed, "packed, ${MANY}" and source, with + between them`,
    options: {
      packed: { type: "string", default: join(import.meta.dirname, "..", "packages", "model-gateway") },
      only: { type: "string" }
    }
  }
)
