/**
 * `npm run acceptance:client`: the packed client through all scenarios of the conformance suite on every runtime that it promises to
 * work on, and on Node every sample of its README. One line each, then `N passed, N failed`. The runtimes are installed on the first run, under `node_modules/.cache`; where
 * the registry is out of reach nothing is checked, and a line says so.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { Checks, run, samplesOf } from "../../conformance/src/Acceptance.ts"
import { writeFixtures } from "../../conformance/src/Fixtures.ts"
import { masterKey } from "../../conformance/src/Gateway.ts"
import { startSuite, type Suite } from "../../conformance/src/Suite.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const runtimes = join(root, "node_modules", ".cache", "model-gateway", "client-runtimes")

/** What a runtime's own `fetch` does, whoever calls it. */
const known: { readonly [runtime: string]: ReadonlyMap<string, string> | undefined } = {
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

const checks = new Checks()
const samples = samplesOf(readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8"), "js")

/** Every sample of the README: one without imports goes on from the first one's client. The entries for others have tests of their own. */
const readme = async (node: string, folder: string, suite: Suite): Promise<string> => {
  writeFixtures(folder)
  const { key } = await suite.gateway.admin("POST", "/admin/keys", {})
  const env = { GATEWAY_BASE_URL: suite.gateway.url, GATEWAY_API_KEY: String(key), GATEWAY_MASTER_KEY: masterKey }
  const own = samples.filter((code) => !/"(?:ai|effect|openai|@ai-sdk\/\w+)"/.test(code))
  for (const code of own) {
    const head = `import { Gateway } from "@model-gateway/client"\nconst gateway = new Gateway()\n`
    const file = join(folder, "sample.mjs")
    writeFileSync(file, code.startsWith("import") ? code : head + code)
    const said = await run([node, file], { cwd: folder, env })
    if (said === "" || said.includes("undefined")) throw new Error(`${code}\nsaid: ${said}`)
  }
  return `${own.length} samples`
}

const through = async (folder: string): Promise<void> => {
  const suite = await startSuite()
  try {
    for (const [name, command] of Object.entries(commands)) {
      const language = { name, needs: [], command: [...command, "runner.mjs"], folder }
      await checks.scenarios(suite, language, known[name])
      const [node = ""] = command
      if (name.startsWith("node")) await checks.check(`${name}: the README`, () => readme(node, folder, suite))
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
  checks.end()
}
