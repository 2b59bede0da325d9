/** Each artifact as its users get it: installed in an empty folder without a network, then run against the packed gateway's demo. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { Checks, run } from "../../packages/conformance/src/Acceptance.ts"
import { type Artifacts, type Packed, pinnedPython } from "./Artifacts.ts"
import { type Facts, type Manifest, manifestOf } from "./Facts.ts"

const LICENCE = "Apache-2.0"
/** No archive holds sources of tests, secrets or build leftovers. */
const FORBIDDEN =
  /(^|\/)(test|tests|acceptance|node_modules|__pycache__)\/|\.(env|pem|key|db|log|tsbuildinfo|pyc)$|(^|\/)\.(?!dist-info)/

interface Verified {
  readonly root: string
  readonly facts: Facts
  readonly artifacts: Artifacts
  /** Empty; the folders of installations go there. */
  readonly scratch: string
  readonly checks: Checks
}

export const verifyArtifacts = async (given: Verified): Promise<void> => {
  const { artifacts, checks } = given
  for (const packed of artifacts.npm) {
    await checks.check(`${packed.name}: files and licence`, () => npmFiles(packed))
    await checks.check(`${packed.name}: publint`, () => lint(packed))
    if (isLibrary(manifestOf(given.facts, packed.folder))) {
      await checks.check(`${packed.name}: types of every entry (attw)`, () => attw(given, packed))
    }
  }
  for (const wheel of artifacts.wheels) {
    await checks.check(`${wheel.name}: files and licence`, () => wheelFiles(given, wheel))
  }
  await checks.check(`${artifacts.extension.name}: files and licence`, () => extensionFiles(given))
  await checks.check("the bill of materials names the command and its libraries", () => bill(given))
  await checks.check("the image's context has every file that the Dockerfile copies", () =>
    imageContext(artifacts.image)
  )
  await checks.check("the Go module builds from the committed files alone", () => goModule(given))
  await runInstalled(given)
}

const isLibrary = ({ exports }: Manifest): boolean => exports !== undefined

const required = (files: ReadonlyArray<string>, wanted: ReadonlyArray<string>): void => {
  const missing = wanted.filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))
  if (missing.length > 0) throw new Error(`the archive lacks ${missing.join(", ")}`)
  const forbidden = files.filter((file) => FORBIDDEN.test(file))
  if (forbidden.length > 0) throw new Error(`the archive must not contain ${forbidden.slice(0, 5).join(", ")}`)
}

const npmFiles = async ({ files, path }: Packed): Promise<string> => {
  const manifest: Manifest = JSON.parse(await run(["tar", "-xzOf", path, "package/package.json"]))
  const bundled = isLibrary(manifest) ? [] : ["bin", "THIRD-PARTY-LICENSES", "sbom.cdx.json"]
  required(files, ["LICENSE", "README.md", "package.json", "dist", ...bundled])
  if (manifest.license !== LICENCE) throw new Error(`license is ${manifest.license}, not ${LICENCE}`)
  return `${files.length} files`
}

const tool = (root: string, name: string, ...args: ReadonlyArray<string>) =>
  run([join(root, "node_modules", ".bin", name), ...args])

/** The condition by which this repository's packages find each other's sources, which no archive contains. */
const SOURCES = "model-gateway-source"

const lint = async ({ path }: Packed): Promise<void> => {
  const tarball = new Uint8Array(readFileSync(path)).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const found = messages.filter((message) => !message.path.includes(SOURCES))
  if (found.length > 0) throw new Error(found.map((message) => formatMessage(message, pkg)).join("\n"))
}

/** Entries without `require` are ES modules only; that is no problem where it is meant. */
const attw = async ({ facts, root }: Verified, { folder, path }: Packed): Promise<string> => {
  const entries = Object.entries(manifestOf(facts, folder).exports ?? {}).filter(
    ([name, target]) => !name.endsWith(".json") && !name.includes("*") && typeof target === "object"
  )
  const isDual = ([, target]: [string, unknown]) => typeof target === "object" && target !== null && "require" in target
  const names = (dual: boolean) => entries.filter((entry) => isDual(entry) === dual).map(([name]) => name)
  for (const [profile, entrypoints] of [["strict", names(true)] as const, ["esm-only", names(false)] as const]) {
    if (entrypoints.length === 0) continue
    await tool(root, "attw", path, "--profile", profile, "--entrypoints", ...entrypoints)
  }
  return `${entries.length} entries`
}

const wheelFiles = async ({ facts, root }: Verified, { files, name, path }: Packed): Promise<string> => {
  const [module = "", info = ""] = [
    name.replaceAll("-", "_"),
    `${name.replaceAll("-", "_")}-${facts.version}.dist-info`
  ]
  required(files, [`${module}/py.typed`, `${info}/METADATA`, `${info}/licenses/LICENSE`])
  const script = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())"
  const metadata = await run(["python3", "-c", script, path, `${info}/METADATA`], { cwd: root })
  const licence = /^License-Expression: (.+)$/m.exec(metadata)?.[1]
  if (licence !== LICENCE) throw new Error(`License-Expression is ${licence}, not ${LICENCE}`)
  return `${files.length} files`
}

const extensionFiles = async ({ artifacts: { extension } }: Verified): Promise<string> => {
  required(
    extension.files.filter((name) => name.startsWith("extension/")).map((name) => name.slice("extension/".length)),
    ["package.json", "README.md", "LICENSE.txt", "dist/extension.cjs", "media"]
  )
  return `${extension.files.length} files`
}

const bill = async ({ artifacts, facts }: Verified): Promise<string> => {
  const { bomFormat, components, metadata } = JSON.parse(readFileSync(artifacts.bill, "utf8"))
  const purl = `pkg:npm/model-gateway@${facts.version}`
  if (bomFormat !== "CycloneDX" || metadata.component.purl !== purl || components.length === 0) {
    throw new Error(`it must be a CycloneDX bill of ${purl}, got ${bomFormat} of ${metadata?.component?.purl}`)
  }
  return `${components.length} components`
}

const imageContext = async (folder: string): Promise<string> => {
  const copied = Array.from(
    readFileSync(join(folder, "Dockerfile"), "utf8").matchAll(/^COPY (?!--from)(.+) \S+$/gm),
    ([, names = ""]) => names.split(" ")
  ).flat()
  const missing = copied.filter((name) => globSync(name, { cwd: folder }).length !== 1)
  if (missing.length > 0) throw new Error(`exactly one file must match each of ${missing.join(", ")}`)
  return copied.join(", ")
}

const goModule = async ({ facts, root, scratch }: Verified): Promise<void> => {
  const folder = join(scratch, "go")
  mkdirSync(folder)
  const archive = join(scratch, "go.tar")
  await run(["git", "archive", "--output", archive, `${facts.commit}:packages/go`], { cwd: root })
  await run(["tar", "-xf", archive, "-C", folder])
  await run(["go", "vet", "./..."], {
    cwd: folder,
    env: { GOPROXY: "off", GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local" }
  })
}

/** A chat request of each client to the demo of the packed command, and the library's in-memory gateway. */
const runInstalled = async (given: Verified): Promise<void> => {
  const { artifacts, checks, root, scratch } = given
  const packed = (name: string): Packed => {
    const found = artifacts.npm.find(({ folder }) => folder === name)
    if (found === undefined) throw new Error(`${name} was not packed.`)
    return found
  }
  const app = join(scratch, "app")
  const library = join(scratch, "library")
  const installed = await checks.check("model-gateway: installs alone, without a registry", () =>
    npmInstall(app, [packed("model-gateway").path])
  )
  if (!installed) return
  const demo = await startDemo(app)
  try {
    const env = { GATEWAY_BASE_URL: demo.url, GATEWAY_API_KEY: demo.virtual_key }
    await checks.check("model-gateway: `demo` serves a chat request", () => chat(demo))
    const archives = ["protocol", "gateway", "client", "langchain"].map(packed)
    await checks.check("the libraries install together from their archives, without a registry", () =>
      npmInstall(library, [...archives.map(({ path }) => path), ...declared(given, archives)])
    )
    for (const [name, program] of Object.entries(PROGRAMS)) {
      await checks.check(`${name}: runs`, async () =>
        (await run(["node", "--input-type=module", "-e", program], { cwd: library, env })).trim()
      )
    }
    await checks.check("the wheels install in an empty environment, without an index, and run", () =>
      runWheels(root, scratch, artifacts.wheels, env)
    )
  } finally {
    await demo.stop()
  }
}

/** The folders of the dependencies that the archives name: npm compares their versions with what is wanted, and asks no registry. */
const declared = ({ facts, root }: Verified, archives: ReadonlyArray<Packed>): ReadonlyArray<string> => {
  const names = archives.flatMap(({ folder }) => {
    const { dependencies, peerDependencies } = manifestOf(facts, folder)
    return Object.keys({ ...dependencies, ...peerDependencies })
  })
  const others = new Set(names.filter((name) => !name.startsWith("@model-gateway/")))
  return Array.from(others, (name) => join(root, "node_modules", name))
}

const npmInstall = async (folder: string, packages: ReadonlyArray<string>): Promise<void> => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), `{ "private": true }`)
  const options = ["--offline", "--ignore-scripts", "--install-links=false", "--no-audit", "--no-fund"]
  await run(["npm", "install", ...options, "--cache", join(folder, "empty-cache"), ...packages], { cwd: folder })
}

const PROGRAMS: Readonly<Record<string, string>> = {
  "@model-gateway/protocol": `
    const names = Object.keys(await import("@model-gateway/protocol"))
    if (names.length === 0) throw new Error("it exports nothing")
    console.log(names.length + " exports")`,
  "@model-gateway/gateway": `
    const [own, testing] = [await import("@model-gateway/gateway"), await import("@model-gateway/gateway/testing")]
    if (own.layer === undefined || testing.TestGateway === undefined) throw new Error("layer or TestGateway is missing")
    console.log(Object.keys(own).length + " exports")`,
  "@model-gateway/client": `
    import { createRequire } from "node:module"
    import { Gateway } from "@model-gateway/client"
    if (createRequire(process.cwd() + "/x.js")("@model-gateway/client").Gateway === undefined) throw new Error("require fails")
    const answer = await new Gateway().chat.completions.create({ model: "auto", messages: [{ role: "user", content: "Hi" }] })
    console.log(answer.gateway.deployment)`,
  "@model-gateway/langchain": `
    import { createRequire } from "node:module"
    import { ChatGateway, gatewayDecision } from "@model-gateway/langchain"
    if (createRequire(process.cwd() + "/x.js")("@model-gateway/langchain").ChatGateway === undefined) throw new Error("require fails")
    console.log(gatewayDecision(await new ChatGateway().invoke("Hi")).deployment)`
}

const WHEELS = `
from model_gateway_client import Gateway
from langchain_model_gateway import ChatModelGateway
answer = Gateway().chat.create(model="auto", messages=[{"role": "user", "content": "Hi"}])
message = ChatModelGateway().invoke("Hi")
print(answer.gateway.deployment, message.response_metadata["gateway"]["deployment"])`

const runWheels = async (
  root: string,
  scratch: string,
  wheels: ReadonlyArray<Packed>,
  env: NodeJS.ProcessEnv
): Promise<string> => {
  const venv = join(scratch, "venv")
  const python = join(venv, "bin", "python")
  await run(["python3", "-m", "venv", venv])
  const paths = wheels.map(({ path }) => path)
  await run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-index", "--no-deps", ...paths])
  // Their dependencies are those of this repository's pinned environment; `pip check` compares the versions of these, too, but says
  // more about that environment than matters here.
  const where = "import sysconfig; print(sysconfig.get_path('purelib'))"
  const pins = (await run(pinnedPython(root, "-c", where))).trim()
  const own = (await run([python, "-c", where])).trim()
  writeFileSync(join(own, "pins.pth"), `${pins}\n`)
  const check = [python, "-m", "pip", "--disable-pip-version-check", "check"]
  const found = await run(check).catch((error: Error) => error.message)
  const unmet = found.split("\n").filter((line) => wheels.some(({ name }) => line.startsWith(`${name} `)))
  if (unmet.length > 0) throw new Error(unmet.join("\n"))
  return (await run([python, "-c", WHEELS], { cwd: scratch, env })).trim()
}

interface Demo {
  readonly url: string
  readonly virtual_key: string
  readonly stop: () => Promise<void>
}

const startDemo = async (app: string): Promise<Demo> => {
  const command = join(app, "node_modules", ".bin", "model-gateway")
  const args = ["demo", "--json", "--port", "0", "--data", join(app, "data")]
  const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`
  const child = spawn(command, args, {
    cwd: app,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"]
  })
  return { ...JSON.parse(await firstLine(child)), stop: () => stop(child) }
}

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null || child.stderr === null) throw new Error("the demo has no output to read")
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  return Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => String(line)),
    once(child, "close").then(([code]) => Promise.reject(new Error(`the demo ended with ${code}: ${said}`)))
  ])
}

const stop = async (child: ChildProcess): Promise<void> => {
  const closed = once(child, "close")
  child.kill("SIGTERM")
  await closed
}

const chat = async ({ url, virtual_key }: Demo): Promise<string> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${virtual_key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Hi" }] })
  })
  const cost = response.headers.get("x-gateway-cost-usd")
  if (response.status !== 200 || cost === null) throw new Error(`${response.status} ${await response.text()}`)
  return `${response.headers.get("x-gateway-decision")}, ${cost} USD`
}
