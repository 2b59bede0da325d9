/**
 * `npm run bench:clients`: what the clients cost beside the vendor's own of the same language. Processor time of a call and of an
 * event, in turns, the median of five; and what a stream of 10,000 events keeps live beside one of 1,000. Languages whose programs are
 * missing are left out, and named.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ratios, rounded, spreadOf } from "./Figures.ts"

const root = join(import.meta.dirname, "..")
const ROUNDS = 5
const CALLS = 3_000
const EVENTS = 100_000
const MOST = 1.1
const MOST_HEAP_MB = 5

/** A package's `bench.json`. The command runs in the package's folder, with `<ours|theirs> <address> <plain|stream> <count>` added. */
interface Bench {
  readonly name: string
  readonly against: string
  readonly needs: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
  readonly folder: string
}

const benches: ReadonlyArray<Bench> = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .filter((folder) => existsSync(join(folder, "bench.json")))
  .map((folder) => ({ ...JSON.parse(readFileSync(join(folder, "bench.json"), "utf8")), folder }))

const measured = (bench: Bench, ...args: ReadonlyArray<string | number>): { cpu_us: number; heap_mb: number } => {
  const [program = "", ...rest] = bench.command
  const said = execFileSync(program, [...rest, ...args.map(String)], { cwd: bench.folder, encoding: "utf8" })
  return JSON.parse(said.trim().split("\n").at(-1) ?? "")
}

const server = spawn(process.execPath, [join(import.meta.dirname, "clients", "server.ts")], {
  stdio: ["pipe", "pipe", "inherit"]
})
const [said] = await once(server.stdout, "data")
const address = String(said).trim()
let failed = false

const judge = (line: string, ok: boolean): void => {
  console.log(`${ok ? "ok  " : "FAIL"} ${line}`)
  failed ||= !ok
}

for (const bench of benches) {
  const missing = bench.needs.filter((one) => spawnSync("sh", ["-c", `command -v "$0"`, one]).status !== 0)
  if (missing.length > 0) {
    console.log(`SKIP ${bench.name}: ${missing.join(", ")} not found on the PATH`)
    continue
  }
  for (const [what, count] of [
    ["plain", CALLS],
    ["stream", EVENTS]
  ] as const) {
    const rounds = Array.from({ length: ROUNDS }, () => ({
      ours: measured(bench, "ours", address, what, count),
      theirs: measured(bench, "theirs", address, what, count)
    }))
    const ours = rounds.map((round) => ({ cpu_us: round.ours.cpu_us }))
    const theirs = rounds.map((round) => ({ cpu_us: round.theirs.cpu_us }))
    const { median, rounds: each } = ratios(ours, theirs, "cpu_us")
    const figure = (all: ReadonlyArray<{ cpu_us: number }>) => rounded(spreadOf(all.map(({ cpu_us }) => cpu_us)).median)
    const unit = what === "plain" ? "a call" : "an event"
    judge(
      `${bench.name}: ${figure(ours)} µs ${unit}, ${bench.against} ${figure(theirs)} µs: ${median} (${each.join(", ")}), at most ${MOST}`,
      median <= MOST
    )
  }
  const [small, large] = [1_000, 10_000].map((events) => measured(bench, "ours", address, "stream", events).heap_mb)
  const more = rounded((large ?? 0) - (small ?? 0))
  judge(
    `${bench.name}: a stream of 10,000 events keeps ${more} MB more than one of 1,000, at most ${MOST_HEAP_MB}`,
    more <= MOST_HEAP_MB
  )
}
server.stdin.end()
process.exitCode = failed ? 1 : 0
