/**
 * `npm run bench:proxy -- --against REF`: this checkout and another commit in turns. CPU of a non-streamed request, of an event of a fast
 * stream and of an event that arrives alone; each version runs in a process with a store of its own.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Bench, say, type Target, WARM_UP } from "./Bench.ts"
import { type Figures, medianInterval, ratios, rounded, spreads, table } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import { MODEL, PACE_MS, PACED_MODEL, requestBody, STREAM_EVENTS } from "./Workload.ts"

const root = join(import.meta.dirname, "..")
/** Where the command's entry is, newest layout first. */
const ENTRIES = ["packages/model-gateway/src/main.ts", "packages/gateway/src/cli/main.ts"]

const kinds = [
  { name: "requests", unit: "CPU, µs/request", model: MODEL, stream: false, concurrency: 32 },
  { name: "fast streams", unit: "CPU, µs/event", model: MODEL, stream: true, concurrency: 32 },
  { name: `an event every ${PACE_MS} ms`, unit: "CPU, µs/event", model: PACED_MODEL, stream: true, concurrency: 64 }
] as const

export const measureAgainst = async (bench: Bench, ref: string): Promise<Record<string, object>> => {
  const { folder, rounds, seconds } = bench.options
  const other = checkOut(ref, folder ?? tmpdir())
  const started: Array<Gateway> = []
  const start = async (name: string, entry: string | undefined): Promise<Target> => {
    const gateway = new Gateway(bench.upstream.url, { folder, entry })
    started.push(gateway)
    const server = bench.adopt(await gateway.start(name))
    await gateway.makeKey(server)
    return { server, key: gateway.key }
  }
  try {
    const targets = { before: await start("before", other.entry), now: await start("now", undefined) }
    const measured: Record<string, object> = {}
    for (const { concurrency, model, name, stream, unit } of kinds) {
      const job = { body: requestBody(model, stream), stream, pace: { concurrency } }
      const requests = stream ? WARM_UP / STREAM_EVENTS.length : WARM_UP
      for (const target of Object.values(targets)) await bench.warmUp(target, requests, job)
      const figures = { before: [] as Array<Figures>, now: [] as Array<Figures> }
      for (let round = 0; round < rounds; round++) {
        say(`${name}, round ${round + 1} of ${rounds}`)
        const order = round % 2 === 0 ? (["before", "now"] as const) : (["now", "before"] as const)
        for (const version of order) {
          const { cpuUs, events, requests } = await bench.turn(targets[version], { ...job, seconds })
          figures[version].push({ [unit]: rounded(cpuUs / (stream ? events : requests)) })
        }
      }
      const ratio = ratios(figures.now, figures.before, unit)
      const { high, low } = medianInterval(ratio.rounds)
      console.log(`\n${table(name, figures)}`)
      console.log(
        `now over ${ref}: median ${ratio.median}, 95 % interval ${low} to ${high} (${ratio.rounds.join(", ")})`
      )
      measured[name] = { before: spreads(figures.before), now: spreads(figures.now), ratio: { ...ratio, low, high } }
    }
    console.log()
    return { against: { ref, commit: other.commit }, ...measured }
  } finally {
    for (const gateway of started) gateway.remove()
  }
}

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

/** Checks the commit out, with its own dependencies, in a folder that is removed when this process ends. */
const checkOut = (ref: string, parent: string): { readonly entry: string; readonly commit: string } => {
  const commit = commitOf(ref)
  const folder = join(mkdtempSync(join(parent, "bench-against-")), "checkout")
  process.once("exit", () => {
    git("worktree", "remove", "--force", folder)
    rmSync(dirname(folder), { recursive: true, force: true })
  })
  git("worktree", "add", "--quiet", "--detach", folder, commit)
  say(`installing the dependencies of ${ref}`)
  const install = ["ci", "--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
  execFileSync("npm", install, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  const entry = ENTRIES.map((path) => join(folder, path)).find((path) => existsSync(path))
  if (entry === undefined) throw new Error(`${ref} has none of ${ENTRIES.join(", ")}`)
  return { entry, commit }
}

const commitOf = (ref: string): string => {
  try {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`)
  } catch (cause) {
    throw new Error(`--against takes a commit, branch or tag of this repository, got "${ref}"`, { cause })
  }
}
