/**
 * Everything that must hold before a change lands: types, Effect diagnostics, lint, format, then the tests of all packages
 * (the import rules are one of them). All of it runs even when a part fails, and the last line counts checks and tests
 * together: `N passed, N failed[, N skipped]`.
 *
 * `--static` leaves the tests out, `--slow` runs them as on a busy machine (`slow-machine.mjs`); other arguments choose test files,
 * as vitest does.
 */
import { spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { pathToFileURL } from "node:url"
import { startVitest } from "vitest/node"

const root = join(import.meta.dirname, "..")
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}` }

interface Count {
  passed: number
  failed: number
  skipped: number
}

const checks: ReadonlyArray<{ readonly name: string; readonly command: ReadonlyArray<string> }> = [
  { name: "types", command: ["tsc", "--noEmit"] },
  { name: "Effect diagnostics", command: ["node", "scripts/check-effect.ts"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "format", command: ["oxfmt", "--check"] }
]

const runChecks = (count: Count): void => {
  for (const { name, command } of checks) {
    const [program = "", ...args] = command
    const started = performance.now()
    const { error, status } = spawnSync(program, args, {
      cwd: root,
      env,
      stdio: ["ignore", "inherit", "inherit"]
    })
    const took = `${Math.round(performance.now() - started)} ms`
    if (error !== undefined) console.error(error.message)
    console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${took})`)
    if (status === 0) count.passed++
    else count.failed++
  }
}

const runTests = async (filters: Array<string>, count: Count): Promise<void> => {
  const vitest = await startVitest("test", filters, {
    config: join(root, "vitest.workspace.ts"),
    root,
    watch: false,
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
  if (vitest.state.getTestModules().length === 0) count.failed++
  await vitest.close()
}

const flags = ["--static", "--slow"]
const args = process.argv.slice(2)
const count: Count = { passed: 0, failed: 0, skipped: 0 }
runChecks(count)
if (args.includes("--slow")) {
  const slow = pathToFileURL(join(import.meta.dirname, "slow-machine.mjs"))
  process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --import ${slow}`
}
if (!args.includes("--static")) {
  await runTests(
    args.filter((arg) => !flags.includes(arg)),
    count
  )
}

const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ""
process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`, () => {
  process.exit(count.failed === 0 && (process.exitCode ?? 0) === 0 ? 0 : 1)
})
