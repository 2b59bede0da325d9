/**
 * `npm run acceptance:client`: the packed client through all scenarios of the conformance suite on every runtime that it promises to
 * work on. One line each, then `N passed, N failed`. The runtimes are installed on the first run, under `node_modules/.cache`; where
 * the registry is out of reach nothing is checked, and a line says so.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { runSuite, startSuite } from "../../conformance/src/Suite.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const runtimes = join(root, "node_modules", ".cache", "model-gateway", "client-runtimes")

/** What a runtime's own `fetch` does, whoever calls it. */
const known: { readonly [runtime: string]: ReadonlyMap<string, string> } = {
  bun: new Map([
    [
      "retry: a stream that has begun is not asked again",
      "drops what had come in the same moment in which a connection breaks"
    ]
  ]),
  deno: new Map([
    [
      "retry: a generation is not asked again when its connection broke",
      "sends a request again by itself when its connection breaks unanswered"
    ]
  ])
}

/** Whole or not at all. → false where the registry does not give them. */
const install = (): boolean => {
  if (existsSync(runtimes)) return true
  const growing = `${runtimes}.${process.pid}`
  mkdirSync(growing, { recursive: true })
  cpSync(join(import.meta.dirname, "runtimes"), growing, { recursive: true })
  try {
    execFileSync("npm", ["install", "--no-package-lock", "--fetch-retries=2"], {
      cwd: growing,
      stdio: ["ignore", 2, "ignore"]
    })
  } catch (error) {
    console.log(`skipped: the runtimes can't be installed here (${String(error)})`)
    rmSync(growing, { recursive: true, force: true })
    return false
  }
  cpSync(growing, runtimes, { recursive: true, verbatimSymlinks: true })
  rmSync(growing, { recursive: true, force: true })
  return true
}

/** A folder of a user's: the packed client, and the runner, which knows it by its name alone. */
const project = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-client-acceptance-"))
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: join(import.meta.dirname, ".."), stdio: "ignore" })
  const [archive = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  const target = join(folder, "node_modules", "@model-gateway", "client")
  mkdirSync(target, { recursive: true })
  execFileSync("tar", ["-xzf", join(folder, archive), "--strip-components=1", "-C", target])
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { "@model-gateway/client": "*" } }))
  const bundle = await rolldown({
    input: join(import.meta.dirname, "..", "test", "conformance", "runner.ts"),
    platform: "node",
    plugins: [
      {
        name: "the client is the packed one",
        resolveId: (id) => (id.endsWith("/src/index.ts") ? { id: "@model-gateway/client", external: true } : undefined)
      }
    ]
  })
  await bundle.write({ file: join(folder, "runner.mjs"), format: "esm" })
  return folder
}

const commands: { readonly [runtime: string]: ReadonlyArray<string> } = {
  node20: [join(runtimes, "node_modules", "node20", "bin", "node")],
  node22: [join(runtimes, "node_modules", "node22", "bin", "node")],
  node24: [process.execPath],
  bun: [join(runtimes, "node_modules", ".bin", "bun")],
  deno: [join(runtimes, "node_modules", ".bin", "deno"), "run", "-A", "--node-modules-dir=manual"]
}

/** A runtime on which nothing works says so often enough. */
const MOST_TOLD = 10

const count = { passed: 0, failed: 0 }

const through = async (folder: string): Promise<void> => {
  const suite = await startSuite()
  try {
    for (const [name, command] of Object.entries(commands)) {
      const language = { name, needs: [], command: [...command, "runner.mjs"], folder }
      const results = [...(await runSuite(suite, language))].filter(([scenario]) => known[name]?.has(scenario) !== true)
      const failures = results.filter(([, problems]) => problems.length > 0)
      count.passed += results.length - failures.length
      count.failed += failures.length
      const line = `${name}: ${results.length - failures.length} of ${results.length} scenarios`
      console.log(`${failures.length === 0 ? "ok  " : "FAIL"} ${line}`)
      for (const [scenario, why] of known[name] ?? []) console.log(`     left out: ${scenario}: ${name} ${why}`)
      for (const [scenario, problems] of failures.slice(0, MOST_TOLD))
        console.log(`     ${scenario}: ${problems.join("; ")}`)
    }
  } finally {
    await suite.stop()
  }
}

if (install()) {
  const folder = await project()
  try {
    await through(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`${count.passed} passed, ${count.failed} failed`)
}
process.exitCode = count.failed === 0 ? 0 : 1
