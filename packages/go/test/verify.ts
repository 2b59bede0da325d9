/**
 * What must hold of the Go client: format, `go vet`, staticcheck, the tests under the race detector. Ends with `N passed, N failed[, N
 * skipped]`.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const folder = join(import.meta.dirname, "..")
const STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
const count = { passed: 0, failed: 0, skipped: 0 }

const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  return {
    ok: status === 0,
    missing: error !== undefined,
    output: stdout ?? "",
    said: `${stdout ?? ""}${stderr ?? ""}`
  }
}

const tell = (name: string, ok: boolean, said: string): void => {
  console.log(ok ? `ok   ${name}` : `FAIL ${name}\n${said}`)
  if (ok) count.passed++
  else count.failed++
}

const skip = (name: string, why: string): void => {
  console.log(`SKIP ${name}: ${why}`)
  count.skipped++
}

const staticcheck = (): void => {
  const installed = run("staticcheck", "./...")
  if (!installed.missing) return tell("staticcheck", installed.ok, installed.said)
  if (!run("go", "run", STATICCHECK, "-version").ok) return skip("staticcheck", `${STATICCHECK} can't be had`)
  const { ok, said } = run("go", "run", STATICCHECK, "./...")
  tell("staticcheck", ok, said)
}

interface TestEvent {
  readonly Action: string
  readonly Package?: string
  readonly Test?: string
  readonly Output?: string
}

const tests = (): void => {
  const canRace = run("go", "env", "CGO_ENABLED").output.trim() === "1"
  if (!canRace) skip("the race detector", "it needs cgo and a C compiler")
  const { ok, output, said } = run("go", "test", ...(canRace ? ["-race"] : []), "-json", "./...")
  const events = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): TestEvent => JSON.parse(line))
  const ended = events.filter(({ Test }) => Test !== undefined)
  const failed = ended.filter(({ Action }) => Action === "fail")
  count.passed += ended.filter(({ Action }) => Action === "pass").length
  count.skipped += ended.filter(({ Action }) => Action === "skip").length
  // A package that does not compile has no test that fails.
  count.failed += ok ? 0 : Math.max(1, failed.length)
  if (ok) return console.log("ok   go test")
  const wrong = new Set(failed.map(({ Package, Test }) => `${Package} ${Test}`))
  const lines = events.filter(({ Package, Test }) => wrong.size === 0 || wrong.has(`${Package} ${Test}`))
  console.log(`FAIL go test\n${lines.map(({ Output = "" }) => Output).join("")}${wrong.size === 0 ? said : ""}`)
}

const unformatted = run("gofmt", "-l", ".")
tell("gofmt", unformatted.ok && unformatted.output === "", unformatted.said)
const vet = run("go", "vet", "./...")
tell("go vet", vet.ok, vet.said)
staticcheck()
tests()
const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ""
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`)
process.exitCode = count.failed === 0 ? 0 : 1
