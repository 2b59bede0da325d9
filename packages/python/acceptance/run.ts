/**
 * `npm run acceptance:python`: the wheels on every Python that they promise to work on and that this machine has. For each: the package's
 * own tests; the wheel in an empty environment through all scenarios, with both clients, and every sample of the README; then the wheel
 * for LangChain beside it. At last what type checkers say. One line each, then `N passed, N failed`.
 */
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Checks, run, samplesOf } from "../../conformance/src/Acceptance.ts"
import { masterKey } from "../../conformance/src/Gateway.ts"
import { startSuite, type Suite } from "../../conformance/src/Suite.ts"
import { interpreters } from "./Interpreters.ts"
import { typeChecks } from "./Types.ts"

const client = join(import.meta.dirname, "..")
const langchain = join(client, "..", "langchain-python")
const checks = new Checks()

const pip = (python: string, ...args: ReadonlyArray<string>) =>
  run([python, "-m", "pip", "--disable-pip-version-check", "-q", ...args])

/** What the samples after the first take for granted. */
const BEFORE = "from model_gateway_client import Gateway\ngateway = Gateway()\n"

const readme = async (python: string, folder: string, variables: NodeJS.ProcessEnv): Promise<string> => {
  const samples = samplesOf(readFileSync(join(client, "README.md"), "utf8"), "python")
  for (const sample of samples) {
    // There is one model of each kind here: `auto` is for chat.
    const code = sample.replace('"auto", file=', '"demo/transcribe", file=')
    const program = code.includes("Gateway()") ? code : BEFORE + code
    const said = await run([python, "-c", program], { cwd: folder, env: variables })
    if (said.trim() === "") throw new Error(`A sample said nothing:\n${sample}`)
  }
  return `${samples.length} samples`
}

const CHAIN = `from langchain_model_gateway import ChatModelGateway
answer = ChatModelGateway(model="demo/mini").invoke("Hi")
assert answer.response_metadata["gateway"]["deployment"] == "demo/mini", answer.response_metadata
print(answer.text)`

const through = async (version: string, path: string, wheels: string, suite: Suite): Promise<string> => {
  const on = `Python ${version}`
  await checks.check(`${on}: the package's own tests`, async () => {
    const said = await run([path, "scripts/venv.py", "-m", "pytest", "-q", "-p", "no:cacheprovider"], { cwd: client })
    return said.trim().split("\n").at(-1)
  })
  const folder = join(wheels, version)
  const python = join(folder, "venv", "bin", "python")
  mkdirSync(folder)
  const [wheel = "", other = ""] = ["model_gateway_client", "langchain_model_gateway"].map((name) =>
    join(wheels, globSync(`${name}-*.whl`, { cwd: wheels })[0] ?? "")
  )
  const isInstalled = await checks.check(`${on}: the wheel in an empty environment`, async () => {
    await run([path, "-m", "venv", join(folder, "venv")])
    await pip(python, "install", "--retries", "1", "-c", join(client, "requirements.txt"), wheel)
  })
  if (!isInstalled) return python
  for (const name of ["conformance.py", "calls.py", "observe.py"])
    cpSync(join(client, "tests", name), join(folder, name))
  for (const twin of [[], ["--async"]]) {
    const name = [on, ...twin].join(" ")
    await checks.scenarios(suite, { name, needs: [], command: [python, "conformance.py", ...twin], folder })
  }
  cpSync(join(suite.fixtures, "hum.wav"), join(folder, "hum.wav"))
  const { key } = await suite.gateway.admin("POST", "/admin/keys", {})
  const variables = {
    GATEWAY_BASE_URL: suite.gateway.url,
    GATEWAY_API_KEY: String(key),
    GATEWAY_MASTER_KEY: masterKey
  }
  await checks.check(`${on}: the README`, () => readme(python, folder, variables))
  await checks.check(`${on}: LangChain's wheel beside it`, async () => {
    // What pip finds for this Python: the pins of the package's own tests are for newer ones.
    await pip(python, "install", "--retries", "1", other)
    await run([python, "-c", CHAIN], { cwd: folder, env: variables })
  })
  return python
}

const wheels = mkdtempSync(join(tmpdir(), "model-gateway-python-acceptance-"))
const suite = await startSuite()
try {
  const venv = ["python3", "scripts/venv.py"]
  for (const source of [client, langchain]) {
    const build = ["-m", "pip", "-q", "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, source]
    await run([...venv, ...build], { cwd: client })
  }
  let newest: string | undefined
  for (const { path, version } of await interpreters()) {
    if (path === undefined) checks.skip(`Python ${version}`, "this machine has none")
    else newest = await through(version, path, wheels, suite)
  }
  if (newest !== undefined) await typeChecks(checks, newest, wheels)
} finally {
  await suite.stop()
  rmSync(wheels, { recursive: true, force: true })
}
checks.end()
