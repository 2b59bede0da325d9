/**
 * `npm run acceptance:go`: the module as somebody would publish it, under a path of their own, with the least Go that it promises to work
 * with, this machine's, and the newest known. For each: vet, the tests under the race detector, every sample of the README run against
 * the gateway, and all scenarios; at last staticcheck. One line each, then `N passed, N failed`. Go fetches the other versions itself.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Checks, run } from "../../conformance/src/Acceptance.ts"
import { masterKey } from "../../conformance/src/Gateway.ts"
import { startSuite, type Suite } from "../../conformance/src/Suite.ts"

const LEAST = "go1.23.12"
const NEWEST = "go1.27.4"
const STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
const OWN_PATH = "github.com/acme/model-gateway-go"

const checks = new Checks()
const source = join(import.meta.dirname, "..")

const through = async (toolchain: string, scratch: string, suite: Suite): Promise<void> => {
  const environment = { GOTOOLCHAIN: toolchain, GOFLAGS: "-buildvcs=false" }
  const go = (folder: string, ...args: ReadonlyArray<string>) => run(["go", ...args], { cwd: folder, env: environment })
  const version = await go(scratch, "version").catch((error: Error) => error)
  if (version instanceof Error) return checks.skip(toolchain, `Go can't fetch it: ${version.message.split("\n")[1]}`)
  const name = version.split(" ")[2] ?? toolchain
  const folder = join(scratch, name)
  // The bench is a module of its own, and no part of this one.
  cpSync(source, folder, { recursive: true, filter: (path) => !/\/(?:bench|acceptance)$/.test(path) })
  await run(["sh", "scripts/set-module.sh", OWN_PATH], { cwd: folder })
  await checks.check(`${name}: builds and vets under a path of one's own`, async () => {
    await go(folder, "build", "./...")
    await go(folder, "vet", "./...")
  })
  const canRace = (await go(folder, "env", "CGO_ENABLED")).trim() === "1"
  const race = canRace ? ["-race"] : []
  await checks.check(`${name}: the tests${canRace ? " under the race detector" : ""}`, async () => {
    await go(folder, "test", ...race, "./...")
  })
  const { key } = await suite.gateway.admin("POST", "/admin/keys", {})
  const variables = {
    ...environment,
    GATEWAY_BASE_URL: suite.gateway.url,
    GATEWAY_API_KEY: String(key),
    GATEWAY_MASTER_KEY: masterKey,
    README_FIXTURES: suite.fixtures
  }
  await checks.check(`${name}: every sample of the README runs`, async () => {
    const said = await run(["go", "test", "-v", "-run", "TestTheSamplesOfTheReadmeRun", "."], {
      cwd: folder,
      env: variables
    })
    if (!/--- PASS/.test(said)) throw new Error(said)
  })
  await go(folder, "build", ...race, "-o", "runner", "./internal/conformance")
  await checks.scenarios(suite, { name, needs: [], command: ["./runner"], folder })
}

const scratch = mkdtempSync(join(tmpdir(), "model-gateway-go-acceptance-"))
const suite = await startSuite()
try {
  for (const toolchain of [LEAST, "local", NEWEST]) await through(toolchain, scratch, suite)
  await checks.check(`${STATICCHECK} with ${NEWEST}`, async () => {
    await run(["go", "run", STATICCHECK, "./..."], { cwd: source, env: { GOTOOLCHAIN: NEWEST } })
  })
} finally {
  await suite.stop()
  rmSync(scratch, { recursive: true, force: true })
}
checks.end()
