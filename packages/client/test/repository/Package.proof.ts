/** The package as its users get it: packed, judged, and used in an empty folder, with every sample of its README. */
import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"
import { environment, samplesOf } from "../../../conformance/src/Acceptance.ts"
import { writeFixtures } from "../../../conformance/src/Fixtures.ts"
import * as sources from "../../src/index.ts"
import { servers } from "../support/Servers.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..", "..", "..", "..")
const modules = join(root, "node_modules")

let folder = ""
let archive = ""

/** This Node, and the machine's own where it is another one that the package promises to work on. */
const nodes = [
  process.execPath,
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => path !== "" && !path.includes("node_modules"))
    .map((path) => join(path, "node"))
    .filter((path) => {
      try {
        const major = Number(execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }))
        return major >= 20 && major !== Number(process.versions.node.split(".")[0])
      } catch {
        return false
      }
    })
    .slice(0, 1)
]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "model-gateway-client-pack-"))
  await run("npm", ["pack", "--pack-destination", folder], {
    cwd: join(import.meta.dirname, "..", ".."),
    env: { ...environment, PATH: `${join(modules, "node", "bin")}${delimiter}${process.env["PATH"]}` }
  })
  const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".tgz"))
  archive = join(folder, name)
  const target = join(folder, "node_modules", "@model-gateway", "client")
  mkdirSync(target, { recursive: true })
  await run("tar", ["-xzf", archive, "--strip-components=1", "-C", target])
  // What users of the entries have beside it.
  symlinkSync(join(root, "packages", "protocol"), join(folder, "node_modules", "@model-gateway", "protocol"))
  for (const name of ["ai", "effect", "openai", "@ai-sdk"])
    symlinkSync(join(modules, name), join(folder, "node_modules", name))
  writeFixtures(folder)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tool = (name: string, ...args: ReadonlyArray<string>) =>
  run(join(modules, ".bin", name), args, { env: environment, maxBuffer: 2 ** 26 })

describe("the archive", () => {
  it("holds compiled files and the licence, no sources; it depends on nothing, and its version is the one it tells", () => {
    const packed = join(folder, "node_modules", "@model-gateway", "client")
    assert.includeMembers(readdirSync(packed), ["LICENSE", "README.md", "dist", "package.json"])
    assert.notIncludeMembers(readdirSync(packed), ["src", "test"])
    const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"))
    assert.strictEqual(manifest.version, sources.VERSION)
    assert.notProperty(manifest, "dependencies")
    assert.deepStrictEqual(
      Object.keys(manifest.peerDependencies).filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true),
      []
    )
  })

  it("is at most 12.5 kB for those who bundle it, without the entries for others", async () => {
    const bundle = await rolldown({
      input: join(folder, "node_modules", "@model-gateway", "client", "dist", "index.js"),
      external: [/^node:/]
    })
    const { output } = await bundle.generate({ format: "esm", minify: true })
    const size = output.reduce((sum, chunk) => sum + gzipSync("code" in chunk ? chunk.code : "").length, 0)
    assert.isAtMost(size, 12_500)
    assert.isAbove(size, 4_000)
  })

  it("publint finds nothing", async () => {
    const { stdout } = await tool("publint", archive, "--strict")
    assert.include(stdout, "All good!")
  }, 60_000)

  it("attw finds nothing: every way to import an entry has its types", async () => {
    for (const args of [
      ["--exclude-entrypoints", "./effect"],
      // Effect is ES modules only.
      ["--entrypoints", "./effect", "--profile", "esm-only"]
    ]) {
      const { stdout } = await tool("attw", archive, "--format", "json", ...args)
      const { analysis, problems } = JSON.parse(stdout)
      assert.strictEqual(analysis.types.kind, "included")
      const found = Object.values((problems ?? {}) as Record<string, ReadonlyArray<object>>).flat()
      assert.deepStrictEqual(args[0] === "--entrypoints" ? [] : found, [])
    }
  }, 120_000)

  it.each(nodes)(
    "is an ES module and CommonJS, with the names of its sources: %s",
    async (node) => {
      const names = Object.keys(sources).toSorted().join()
      const show = "console.log(Object.keys(all).sort().join())"
      const imported = `import * as all from "@model-gateway/client"; ${show}`
      const required = `const all = require("@model-gateway/client"); ${show}`
      assert.strictEqual(
        (await run(node, ["--input-type=module", "-e", imported], { cwd: folder })).stdout.trim(),
        names
      )
      assert.strictEqual((await run(node, ["-e", required], { cwd: folder })).stdout.trim(), names)
    },
    60_000
  )

  it("an error of the CommonJS copy is one of the ES module's classes too", async () => {
    const program = `
      import { createRequire } from "node:module"
      import { GatewayError, RateLimitError } from "@model-gateway/client"
      const other = createRequire(import.meta.url)("@model-gateway/client")
      const error = new other.RateLimitError("slow down")
      console.log(error instanceof GatewayError, error instanceof RateLimitError, error instanceof other.BudgetExceededError)
    `
    const file = join(folder, "copies.mjs")
    writeFileSync(file, program)
    assert.strictEqual((await run(process.execPath, [file], { cwd: folder })).stdout.trim(), "true true false")
  }, 60_000)
})

/** What a program of a user's may count on, and what must not compile. */
const typed = `
import { Gateway, RateLimitError, type Decision } from "@model-gateway/client"
const gateway = new Gateway()
const answer = await gateway.chat.completions.create({ model: "auto", messages: [{ role: "user", content: "Hi" }] })
export const text: string | null | undefined = answer.choices[0]?.message.content
export const decision: Decision | undefined = answer.gateway
export const cost: number | null | undefined = answer.gateway?.costUsd
const stream = await gateway.chat.completions.create({ model: "auto", messages: [], stream: true })
for await (const chunk of stream) console.log(chunk.choices[0]?.delta.content?.length)
const total: number | undefined = (await stream.final()).usage?.total_tokens
console.log(total, (await gateway.admin.keys.create({ budget_usd: 1 })).key)
// @ts-expect-error -- a limit that is misspelled would be lost
await gateway.admin.keys.create({ budgett_usd: 1 })
const fast = { model: "auto", models: ["other"], provider: { sort: "throughput", max_price: { prompt: 2 } }, messages: [] } as const
await gateway.chat.completions.create(fast, { cache: { on: true, maxAge: 60 }, content: "none" })
// @ts-expect-error -- a level that is above the operator's
await gateway.chat.completions.create(fast, { content: "full" })
// @ts-expect-error -- a chat needs its messages
await gateway.chat.completions.create({ model: "auto" })
try { await gateway.key.get() } catch (error) { if (error instanceof RateLimitError) console.log(error.kind) }
console.log((await gateway.audio.transcriptions.create({ file: { path: "a.wav" }, temperature: 0.5 })).text)
`

it("its types hold without Node's, and without leaving declarations unchecked", async () => {
  writeFileSync(join(folder, "typed.mts"), typed)
  const options = {
    target: "es2022",
    module: "nodenext",
    lib: ["es2022", "dom", "dom.asynciterable"],
    types: [],
    strict: true
  }
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: false, noEmit: true }, files: ["typed.mts"] })
  )
  const { stdout } = await tool("tsc", "--project", folder).catch((error: { readonly stdout: string }) => error)
  assert.strictEqual(stdout, "")
}, 60_000)

/** What a program that uses OpenAI's SDK may count on, and what must not compile. */
const openAiProgram = `
export const read = async () => {
  const openai = new OpenAI()
  const answer = await openai.chat.completions.create({ model: "auto", messages: [] })
  const parsed = await openai.chat.completions.parse({ model: "auto", messages: [] })
  const costs: Array<number | null | undefined> = [answer.gateway?.cost_usd, answer.usage?.cost, parsed.gateway?.cost_usd]
  const decision: GatewayInfo | undefined = answer.gateway
  for await (const chunk of await openai.chat.completions.create({ model: "auto", messages: [], stream: true })) {
    costs.push(chunk.gateway?.cost_usd, chunk.usage?.cost)
  }
  const response = await openai.responses.create({ model: "auto", input: "Hi" })
  costs.push(response.gateway?.cost_usd, response.usage?.cost)
  for await (const event of await openai.responses.create({ model: "auto", input: "Hi", stream: true })) {
    if (event.type === "response.completed") costs.push(event.response.gateway?.cost_usd)
  }
  const completion = await openai.completions.create({ model: "auto", prompt: "Hi" })
  costs.push(completion.gateway?.cost_usd, completion.usage?.cost)
  const { gateway, usage } = await openai.embeddings.create({ model: "e", input: "Hi" })
  costs.push(gateway?.cost_usd, usage.cost)
  // @ts-expect-error -- the fields have the names of the HTTP API
  costs.push(answer.gateway?.costUsd)
  return { costs, decision }
}
`

describe("the types for OpenAI's SDK", () => {
  const program = `import { OpenAI } from "openai"
import type { GatewayInfo } from "@model-gateway/client/openai"
${openAiProgram}`
  const [sample = ""] = samplesOf(readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8"), "ts")

  it("hold in ES modules, in CommonJS and in the README's sample", async () => {
    const project = join(folder, "openai")
    mkdirSync(project)
    writeFileSync(join(project, "module.mts"), program)
    writeFileSync(join(project, "common.cts"), program)
    writeFileSync(join(project, "sample.mts"), sample)
    const lib = ["es2022", "dom", "dom.iterable", "dom.asynciterable"]
    const checks = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
    const compilerOptions = { target: "es2022", module: "nodenext", lib, types: [], ...checks }
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }))
    const { stdout } = await tool("tsc", "--project", project).catch((error: { readonly stdout: string }) => error)
    assert.strictEqual(stdout, "")
  }, 120_000)

  it("are of what the sample of the README prints: the decision and the cost, also of a stream", async () => {
    const { apiKey, url } = servers()
    writeFileSync(join(folder, "openai-sample.mts"), sample)
    const { stdout } = await run(process.execPath, [join(folder, "openai-sample.mts")], {
      cwd: folder,
      env: { ...environment, GATEWAY_BASE_URL: url, GATEWAY_API_KEY: apiKey }
    })
    const [answer = "", streamed = ""] = stdout.split("\n")
    assert.match(answer, /^demo\/\S+ (\S+) \1$/)
    assert.match(streamed, /^demo\/\S+ [\d.e-]+$/)
  }, 60_000)

  it("need no code, and none of the openai package", async () => {
    const show = `console.log(Object.keys(await import("@model-gateway/client/openai")).length)`
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", show], { cwd: folder })
    assert.strictEqual(stdout.trim(), "0")
  })
})

/** The programs of the README: a sample without imports goes on from the first one's client. */
const samples = samplesOf(readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8"), "js")

describe("the README's samples", () => {
  it("are there", () => assert.isAbove(samples.length, 9))

  it.each(
    samples.flatMap((code, index) =>
      // The last ones need what Node 20 has not: Effect and the AI SDK say so.
      nodes
        .filter((node) => node === process.execPath || !/"(ai|effect)"/.test(code))
        .map((node) => ({ node, code, index }))
    )
  )(
    "sample $index works: $node",
    async ({ code, index, node }) => {
      const { apiKey, masterKey, url } = servers()
      const head = code.startsWith("import")
        ? ""
        : `import { Gateway } from "@model-gateway/client"\nconst gateway = new Gateway()\n`
      const file = join(folder, `sample-${index}.mjs`)
      writeFileSync(file, head + code)
      const { stdout } = await run(node, [file], {
        cwd: folder,
        env: { ...environment, GATEWAY_BASE_URL: url, GATEWAY_API_KEY: apiKey, GATEWAY_MASTER_KEY: masterKey }
      })
      assert.isNotEmpty(stdout)
      assert.notInclude(stdout, "undefined")
    },
    60_000
  )
})
