/**
 * Everything that must hold before a change lands: types, Effect diagnostics, lint, format, then the tests of all packages
 * (the import rules are one of them), those of the stores on the oldest Node, too. All of it runs even when a part fails, and the last line counts checks and tests
 * together: `N passed, N failed[, N skipped]`.
 *
 * A package in another language says in its `verify.json` how its tests run and which programs they need; where one is missing,
 * a line says what was skipped. `--proofs` runs the tests that take longer than half a minute (`*.proof.ts`), and nothing else.
 * `--static` leaves the tests out, `--slow` runs them as on a busy machine (`slow-machine.mjs`); other arguments choose test files,
 * as vitest does.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { startVitest, type TestModule } from "vitest/node"
import { OLDEST_NODE, oldestNode } from "./oldest-node.ts"

const root = join(import.meta.dirname, "..")
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}` }

interface Count {
  passed: number
  failed: number
  skipped: number
}

const checks: ReadonlyArray<{ readonly name: string; readonly command: ReadonlyArray<string> }> = [
  { name: "types", command: ["tsc", "--noEmit"] },
  { name: "types of the dashboard", command: ["tsc", "--noEmit", "--project", "packages/dashboard"] },
  { name: "Effect diagnostics", command: ["node", "scripts/check-effect.ts"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "format", command: ["oxfmt", "--check"] }
]

interface Ran {
  /** null: it could not be started. */
  readonly status: number | null
  readonly stdout: string
  /** What it said on stderr, and why it could not be started. */
  readonly stderr: string
  /** As it is shown: `1234 ms`. */
  readonly took: string
}

/** Others run beside it, so what it says is kept until its end. */
const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Ran> =>
  new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(program, args, { cwd: root, env, ...options, stdio: ["ignore", "pipe", "pipe"] })
    const said = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text))
    child.once("error", (error) => (said.stderr += `${error.message}\n`))
    child.once("close", (code) => {
      const status = child.pid === undefined ? null : code
      resolve({ ...said, status, took: `${Math.round(performance.now() - started)} ms` })
    })
  })

const runChecks = async (count: Count): Promise<void> => {
  const told = checks.map(async ({ name, command: [program = "", ...args] }) => {
    const { status, stderr, stdout, took } = await run(program, args)
    console.log(`${stdout}${stderr}${status === 0 ? "ok  " : "FAIL"} ${name} (${took})`)
    if (status === 0) count.passed++
    else count.failed++
  })
  await Promise.all(told)
}

/** Much of what tests do is waiting for other processes: with two files at once two cores have nothing to do for a third of the time. */
const FILES_AT_ONCE = Math.max(3, availableParallelism() - 1)

/** `found`: other tests were chosen, so that none in TypeScript is no mistake. */
const runTests = async (filters: Array<string>, found: boolean, count: Count): Promise<void> => {
  const vitest = await startVitest("test", filters, {
    config: join(root, "vitest.workspace.ts"),
    root,
    watch: false,
    maxWorkers: FILES_AT_ONCE,
    retry: 1
  })
  for (const module of vitest.state.getTestModules()) {
    const tests = [...module.children.allTests()]
    const states = tests.map((test) => test.result().state)
    count.passed += states.filter((state) => state === "passed").length
    count.skipped += states.filter((state) => state === "skipped" || state === "pending").length
    const failed = states.filter((state) => state === "failed").length
    // A busy machine makes rare things happen. One of them alone fails no run, but is named: somebody has to look.
    for (const test of tests.filter((test) => test.diagnostic()?.flaky === true)) {
      console.log(`FLAKY ${module.project.name} ${module.relativeModuleId}: ${test.fullName}`)
    }
    // A file that can't be loaded, or whose hooks fail, has no failed test of its own and is still a failure.
    count.failed += failed === 0 && module.state() === "failed" ? 1 : failed
  }
  count.failed += vitest.state.getUnhandledErrors().length
  tellSlowest(vitest.state.getTestModules())
  if (vitest.state.getTestModules().length === 0 && !found) count.failed++
  await vitest.close()
}

const SLOWEST = 15

/** What to look at first when the run takes too long. */
const tellSlowest = (modules: ReadonlyArray<TestModule>): void => {
  if (modules.length === 0) return
  const files = modules.map((module) => {
    const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module.diagnostic()
    const before = collectDuration + environmentSetupDuration + prepareDuration + setupDuration
    return { name: `${module.project.name} ${module.relativeModuleId}`, tests: duration, before }
  })
  console.log("\nThe slowest files, in seconds of tests, and before them (imports):")
  for (const { before, name, tests } of files
    .toSorted((a, b) => b.tests + b.before - a.tests - a.before)
    .slice(0, SLOWEST))
    console.log(`${(tests / 1000).toFixed(1).padStart(7)} ${(before / 1000).toFixed(1).padStart(6)}  ${name}`)
}

/** `verify.json` of a package: its tests end with a line `N passed, N failed[, N skipped]`, as these do. */
interface OtherLanguage {
  /** What the line that says "skipped" calls the tests. */
  readonly name: string
  /** Programs that must be on the PATH. */
  readonly needs: ReadonlyArray<string>
  /** Runs in the package's folder. */
  readonly command: ReadonlyArray<string>
}

const CLOSING_LINE = /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/

const onPath = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v "$0"`, program], { env, stdio: "ignore" }).status === 0

const runOtherLanguage = async (folder: string, file: string, count: Count): Promise<void> => {
  const { command, name, needs }: OtherLanguage = JSON.parse(readFileSync(file, "utf8"))
  const missing = needs.filter((program) => !onPath(program))
  if (missing.length > 0) {
    console.log(`SKIP ${name}: ${missing.join(", ")} not found on the PATH`)
    count.skipped++
    return
  }
  const [program = "", ...args] = command
  const { status, stderr, stdout, took } = await run(program, args, { cwd: folder })
  const [, passed, failed, skipped] = CLOSING_LINE.exec(stdout) ?? []
  const failures = Number(failed ?? 0)
  count.passed += Number(passed ?? 0)
  count.skipped += Number(skipped ?? 0)
  // A run that broke off before it could count is a failure as well.
  const ok = status === 0 && passed !== undefined
  count.failed += failures === 0 && !ok ? 1 : failures
  console.log(ok ? `${stderr}ok   ${name} (${passed} passed, ${took})` : `${stdout}${stderr}FAIL ${name} (${took})`)
}

/** Filters choose a package here, where they name its folder, and none of its files. */
const chosenLanguages = (filters: ReadonlyArray<string>) =>
  readdirSync(join(root, "packages")).flatMap((name) => {
    const folder = join(root, "packages", name)
    const file = join(folder, "verify.json")
    const chosen = filters.length === 0 || filters.some((filter) => `packages/${name}/`.includes(filter))
    return chosen && existsSync(file) ? [{ folder, file }] : []
  })

/** Of the stores, since SQLite comes with Node, and the oldest one does some of it in another way. */
const ON_OLDEST = "packages/gateway/test/storage"
/** Postgres does not come with Node. */
const NOT_ON_OLDEST = ["**/postgres/**"]

/** Tests once more, on the oldest Node that a user may have. */
const runOnOldestNode = async (count: Count): Promise<void> => {
  const name = `stores on Node ${OLDEST_NODE}`
  const node = await oldestNode()
  if (node === undefined) {
    console.log(`SKIP ${name}: npm has it not for this machine, or can't be reached`)
    count.skipped++
    return
  }
  const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--config", "vitest.workspace.ts"]
  const options = ["--reporter=dot", "--retry=1", ...NOT_ON_OLDEST.flatMap((files) => ["--exclude", files])]
  const { status, stderr, stdout, took } = await run(node, [...vitest, ...options, ON_OLDEST], {
    env: { ...env, PATH: `${dirname(node)}${delimiter}${env.PATH}` }
  })
  if (status === 0) count.passed++
  else count.failed++
  console.log(status === 0 ? `ok   ${name} (${took})` : `${stdout}${stderr}FAIL ${name} (${took})`)
}

const flags = ["--proofs", "--static", "--slow"]
const args = process.argv.slice(2)
const areProofs = args.includes("--proofs")
// `vitest.workspace.ts` reads it.
if (areProofs) process.env["GATEWAY_PROOFS"] = "1"
const count: Count = { passed: 0, failed: 0, skipped: 0 }
if (!areProofs) await runChecks(count)
if (args.includes("--slow")) {
  const slow = pathToFileURL(join(import.meta.dirname, "slow-machine.mjs"))
  process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --import ${slow}`
}
if (!args.includes("--static")) {
  const filters = args.filter((arg) => !flags.includes(arg))
  const languages = areProofs ? [] : chosenLanguages(filters)
  await Promise.all([
    ...languages.map(({ file, folder }) => runOtherLanguage(folder, file, count)),
    ...(filters.length === 0 && !areProofs ? [runOnOldestNode(count)] : [])
  ])
  await runTests(filters, languages.length > 0, count)
}

const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ""
process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`, () => {
  process.exit(count.failed === 0 && (process.exitCode ?? 0) === 0 ? 0 : 1)
})
