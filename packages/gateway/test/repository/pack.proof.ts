/**
 * The product as its users get it: packed and installed in empty folders. The command comes from one archive without dependencies, the
 * library from two. What only works inside this repository (sources, workspace links, a missing dependency, an asset left behind) fails
 * here.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { publint } from "publint"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..", "..", "..", "..")

let folder = ""
/** A project that has installed the library, and one that has installed the command. */
const library = () => join(folder, "library")
const app = () => join(folder, "app")
const command = () => join(app(), "node_modules", ".bin", "model-gateway")
const installed = (name: string) => join(library(), "node_modules", "@model-gateway", name)

/** This process's environment with the given Node first, and without what an npm around this test says of its own project. */
const environment = (node: string): NodeJS.ProcessEnv => {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_local_prefix|package_|lifecycle_)/.test(name)
  )
  return { ...Object.fromEntries(entries), PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` }
}

/** A Node of this machine that the product does not support, if it has one. */
const oldNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((path) => path !== "" && !path.includes("node_modules"))
  .map((path) => join(path, "node"))
  .find((path) => {
    try {
      const [major = 0, minor = 0] = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" })
        .split(".")
        .map(Number)
      return major < 22 || (major === 22 && minor < 19)
    } catch {
      return false
    }
  })

const install = async (project: string, archives: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<void> => {
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), `{ "private": true }`)
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"]
  await run("npm", ["install", ...options, ...archives], { cwd: project, env })
}

/** Paths of the archives by the names of their packages' folders. */
const archives = new Map<string, string>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "model-gateway-pack-"))
  const env = environment(process.execPath)
  for (const name of ["protocol", "gateway", "model-gateway"]) {
    const destination = join(folder, `packed-${name}`)
    mkdirSync(destination)
    await run("npm", ["pack", "--pack-destination", destination, join(root, "packages", name)], { cwd: root, env })
    archives.set(name, join(destination, readdirSync(destination).join("")))
  }
  const paths = (names: ReadonlyArray<string>) => names.map((name) => archives.get(name) ?? "")
  await install(library(), paths(["protocol", "gateway"]), env)
  // Without a registry: nothing but the archive may be needed.
  await install(app(), paths(["model-gateway"]), {
    ...env,
    npm_config_offline: "true",
    npm_config_cache: join(folder, "empty")
  })
}, 300_000)

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const readManifest = (name: string) => JSON.parse(readFileSync(join(installed(name), "package.json"), "utf8"))

/** The first line on stdout; fails with what the process said when it ends without one. */
const firstLine = async (child: ChildProcess): Promise<string> => {
  assert(child.stdout !== null && child.stderr !== null)
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  const lines = createInterface({ input: child.stdout })
  return Promise.race([
    once(lines, "line").then(([line]) => String(line)),
    once(child, "close").then(([code]) => Promise.reject(new Error(`ended with ${code} before its line:\n${said}`)))
  ])
}

describe("the packed library", () => {
  it("hold the compiled files and the licence, no sources and no tests", () => {
    for (const name of ["protocol", "gateway"]) {
      const names = readdirSync(installed(name))
      assert.includeMembers(names, ["LICENSE", "dist", "package.json"])
      assert.notIncludeMembers(names, ["src", "test"])
      assert.strictEqual(readManifest(name).license, "Apache-2.0")
    }
  })

  it("can be imported by the names they export", async () => {
    const names = ["@model-gateway/protocol", "@model-gateway/gateway", "@model-gateway/gateway/testing"]
    const script = names.map(
      (name) => `if (Object.keys(await import("${name}")).length === 0) throw "${name} is empty"`
    )
    const { stderr } = await run(process.execPath, ["--input-type=module", "-e", script.join("\n")], { cwd: library() })
    assert.strictEqual(stderr, "")
  })

  for (const name of ["protocol", "gateway"]) {
    it(`${name} has no fault that publint knows of`, async () => {
      const bytes = readFileSync(archives.get(name) ?? "")
      const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
      const { messages } = await publint({ pack: { tarball }, strict: true })
      // Sources, which only a clone has.
      const published = messages.filter(({ path }) => !path.includes("model-gateway-source"))
      assert.deepStrictEqual(published, [])
    }, 60_000)

    it(`${name} has types for every way to import it that attw knows of`, async () => {
      const attw = join(root, "node_modules", ".bin", "attw")
      const args = [archives.get(name) ?? "", "--profile", "esm-only"]
      // It fails where there is a problem.
      const { stdout } = await run(attw, args, { maxBuffer: 2 ** 26 })
      assert.include(stdout, "(ESM)")
    }, 120_000)
  }
})

/** All five services at once: each notes that it was used, and leaves the work to the one that it replaces. */
const together = `
import { defaults, KeyStore, layerOpen, ProviderPool, RateLimiter, Router, SpendLedger } from "@model-gateway/gateway"
import { Console, Effect, Layer } from "effect"
import { ask, run } from "./ask.ts"

const used = new Set<string>()
const noting = <Args extends ReadonlyArray<unknown>, A>(name: string, method: (...args: Args) => A) => (...args: Args): A => {
  used.add(name)
  return method(...args)
}

const all = Layer.mergeAll(
  Layer.effect(KeyStore, Effect.map(KeyStore, (one) => ({ ...one, authenticate: noting("authenticate", one.authenticate) }))),
  Layer.effect(RateLimiter, Effect.map(RateLimiter, (one) => ({ ...one, admit: noting("admit", one.admit) }))),
  Layer.effect(Router, Effect.map(Router, (one) => ({ ...one, decide: noting("decide", one.decide) }))),
  Layer.effect(ProviderPool, Effect.map(ProviderPool, (one) => ({ ...one, complete: noting("complete", one.complete) }))),
  Layer.effect(SpendLedger, Effect.map(SpendLedger, (one) => ({ ...one, book: noting("book", one.book) })))
)

run((settings) =>
  ask("Hello").pipe(
    Effect.provide(layerOpen(settings).pipe(Layer.provide(all), Layer.provideMerge(defaults(settings)))),
    // The gateway has drained: what it cost is recorded.
    Effect.andThen(Effect.suspend(() => Console.log([...used].sort().join(" "))))
  )
)
`

describe("the programs of the pages on embedding", () => {
  const page = ["embedding.md", "embedding-providers.md"]
    .map((name) => readFileSync(join(root, "docs", name), "utf8"))
    .join("\n")
  const named = Array.from(page.matchAll(/^```ts ([\w-]+\.ts)\n([^]*?)^```$/gm), ([, name = "", code = ""]) => ({
    name,
    code
  }))
  const printed = Array.from(
    page.matchAll(/^```ts ([\w-]+\.ts)\n(?:(?!^```$)[^])*^```$\n\nIt prints (.+?)\.(?: |$)/gm),
    ([, name = "", words = ""]) => ({ name, lines: Array.from(words.matchAll(/`([^`]+)`/g), ([, line = ""]) => line) })
  )
  const [, settings = ""] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? []
  const embedding = () => join(library(), "embedding")

  beforeAll(() => {
    mkdirSync(embedding())
    writeFileSync(join(embedding(), "package.json"), `{ "type": "module" }`)
    writeFileSync(join(embedding(), "gateway.yaml"), settings)
    for (const { code, name } of named) writeFileSync(join(embedding(), name), code)
    writeFileSync(
      join(embedding(), "declared.ts"),
      `import { layer, layerOpen, type Settings } from "@model-gateway/gateway"
export const make = (settings: Settings) => layer(settings)
export const open = (settings: Settings) => layerOpen(settings)
`
    )
    writeFileSync(join(embedding(), "together.ts"), together)
  })

  it("compile as a library author's would: with declarations, exact optional properties and the libraries checked", async () => {
    const compilerOptions = {
      target: "es2024",
      // The declarations of `effect` name types of the web.
      lib: ["es2024", "esnext.disposable", "dom"],
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(root, "node_modules", "@types")],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      declaration: true,
      outDir: "built",
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: true
    }
    writeFileSync(join(embedding(), "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const compiled = await run(join(root, "node_modules", ".bin", "tsc"), ["--project", embedding()], {
      cwd: embedding()
    }).catch((error) => error)
    assert.strictEqual(compiled.stdout, "")
    assert.include(readFileSync(join(embedding(), "built", "declared.d.ts"), "utf8"), "Ports")
  }, 120_000)

  it("are an HTTP API, five services, a vendor and a protocol", () => {
    assert.deepStrictEqual(
      printed.map(({ name }) => name),
      [
        "http-api.ts",
        "rate-limiter.ts",
        "router.ts",
        "key-store.ts",
        "spend-ledger.ts",
        "provider-pool.ts",
        "vendor.ts",
        "protocol.ts"
      ]
    )
  })

  for (const { lines, name } of [
    ...printed,
    { name: "together.ts", lines: ["admit authenticate book complete decide"] }
  ]) {
    it(`${name} prints ${lines.join(" and ")}`, async () => {
      const env = { ...environment(process.execPath), GATEWAY_MASTER_KEY: "mk_pQ7vXw2LkT9sZr4NcB8hJd5GfY3mAe6U" }
      const ended = await run(process.execPath, [name], { cwd: embedding(), env }).catch((error) => error)
      assert.includeMembers(ended.stdout.split("\n"), lines, ended.stderr)
    }, 60_000)
  }
})

describe("the packed command", () => {
  it("is one package of at most 4 MB, with the licences of what is bundled", () => {
    const home = join(app(), "node_modules", "model-gateway")
    const others = readdirSync(join(app(), "node_modules")).filter((name) => !name.startsWith("."))
    assert.deepStrictEqual(others, ["model-gateway"])
    assert.isAtMost(statSync(archives.get("model-gateway") ?? "").size, 4_000_000)
    const licences = readFileSync(join(home, "THIRD-PARTY-LICENSES"), "utf8")
    for (const name of ["effect 4.1.0", "undici", "gpt-tokenizer", "preact", "Permission is hereby granted"]) {
      assert.include(licences, name)
    }
  })

  it("has a bill of what is in it, which is what it has the licences of", () => {
    const home = join(app(), "node_modules", "model-gateway")
    const bill = JSON.parse(readFileSync(join(home, "sbom.cdx.json"), "utf8"))
    assert.deepInclude(bill, { bomFormat: "CycloneDX", specVersion: "1.5" })
    const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    assert.deepInclude(bill.metadata.component, { type: "application", purl: `pkg:npm/model-gateway@${version}` })
    const licences = readFileSync(join(home, "THIRD-PARTY-LICENSES"), "utf8")
    const licensed = Array.from(licences.matchAll(/^(\S+) (\S+)\nLicence: /gm), ([, name, at]) => `${name} ${at}`)
    const listed = bill.components.map(
      ({ group, name, version: at }: Readonly<Record<string, string>>) => `${group ? `${group}/` : ""}${name} ${at}`
    )
    assert.sameMembers(listed, licensed)
    assert.includeMembers(bill.dependencies[0].dependsOn, ["pkg:npm/effect@4.1.0", "pkg:npm/%40effect/sql-pg@4.0.5"])
    for (const { hashes, licenses } of bill.components) {
      assert.match(hashes[0].content, /^[0-9a-f]{128}$/)
      assert.isAbove(licenses.length, 0)
    }
  })

  it("says in a clone, where nothing is built, what works there", async () => {
    const clone = join(folder, "clone")
    cpSync(join(app(), "node_modules", "model-gateway", "bin"), join(clone, "bin"), { recursive: true })
    const failed = await run(process.execPath, [join(clone, "bin", "model-gateway.mjs"), "demo"]).catch(
      (error) => error
    )
    assert.strictEqual(failed.code, 1)
    assert.match(failed.stderr, /^This is a clone .* `npm start` .*\n$/)
  })

  it("model-gateway demo answers a chat request with its five headers, and administrators, and ends on SIGTERM", async () => {
    const child = spawn(command(), ["demo", "--json", "--port", "0", "--data", join(folder, "data")], {
      cwd: app(),
      env: environment(process.execPath),
      stdio: ["ignore", "pipe", "pipe"]
    })
    const ended = once(child, "close")
    try {
      const { url, virtual_key: key } = JSON.parse(await firstLine(child))
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Say hello." }] })
      })
      const body = await response.text()
      assert.strictEqual(response.status, 200, body)
      assert.isString(JSON.parse(body).choices[0].message.content)
      const header = (name: string) => response.headers.get(`x-gateway-${name}`) ?? ""
      assert.match(header("decision"), /^[^/]+\/.+$/)
      assert.match(header("route-bucket"), /./)
      assert.match(header("route-score"), /^(0|1|0?\.\d+|1\.0+)$/)
      assert.match(header("cost-usd"), /^\d+(\.\d+)?$/)
      assert.match(header("retries"), /^\d+$/)
      const shell = await (await fetch(`${url}/ui/`)).text()
      const [, script = ""] = /src="([^"]+)"/.exec(shell) ?? []
      assert.strictEqual(
        (await fetch(new URL(script, url))).headers.get("content-type"),
        "text/javascript; charset=utf-8"
      )
      const listed = await run(command(), ["keys", "list", "--url", url, "--data", join(folder, "data")], {
        cwd: app(),
        env: environment(process.execPath)
      })
      assert.match(listed.stdout, /^ID .*\nkey_\w{12} +demo /)
    } finally {
      child.kill("SIGTERM")
    }
    assert.deepStrictEqual(await ended, [0, null])
  }, 300_000)

  it("reaches databases and gateways of others, which it reads the code for when it is asked to", async () => {
    const env = { ...environment(process.execPath), OTEL_EXPORTER_OTLP_ENDPOINT: "" }
    const failed = async (...args: ReadonlyArray<string>) => {
      const error = await run(command(), args, { cwd: app(), env }).catch((error) => error)
      assert.strictEqual(error.code, 1, error.stderr)
      return String(error.stderr)
    }
    const database = "postgresql://u:hush@127.0.0.1:1/litellm"
    assert.match(
      await failed("import", "litellm-keys", "--database-url", database),
      /^LiteLLM's database 127\.0\.0\.1:1\/litellm can't be read: the connection was refused/
    )
    assert.match(
      await failed("store", "copy", "--from", join(folder, "none.db"), "--to", database),
      /none\.db: no such file/
    )
  })

  it.skipIf(oldNode === undefined)("model-gateway says in one line that a Node is too old", async () => {
    const outcome = await run(oldNode ?? "", [command(), "demo"], { cwd: app() }).then(
      () => ({ code: 0, stdout: "", stderr: "" }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr })
    )
    assert.strictEqual(outcome.code, 1)
    assert.strictEqual(outcome.stdout, "")
    assert.match(outcome.stderr, /^model-gateway needs Node 22\.19 .*\n$/)
  })
})
