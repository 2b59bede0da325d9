import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Redacted } from "effect"
import { findAccess } from "../../src/admin/AccessCommand.ts"
import { Environment } from "../../src/Environment.ts"
import { folder } from "../Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
const OTHER_KEY = "Zt8Wq3LmXc5Vb9Rf2Yd7Hs4Jn6Gk1TaPe"

interface Given {
  readonly url?: string
  readonly config?: string
  readonly data?: string
  readonly env?: Readonly<Record<string, string>>
}

const access = ({ config, data, env = {}, url }: Given) =>
  findAccess({
    url: Option.fromUndefinedOr(url),
    config: Option.fromUndefinedOr(config),
    data: Option.fromUndefinedOr(data)
  }).pipe(Effect.provideService(Environment, env), Effect.provide(NodeFileSystem.layer))

const found = (given: Given) =>
  Effect.map(access(given), ({ key, keyFrom, url }) => ({ url, key: Redacted.value(key), keyFrom }))

const message = (given: Given) =>
  access(given).pipe(
    Effect.flip,
    Effect.map((error) => error.message)
  )

const write = (cwd: string, name: string, text: string): string => {
  const file = join(cwd, name)
  writeFileSync(file, text)
  return file
}

describe("where the gateway is", () => {
  it.effect("--url, then GATEWAY_URL, then the configuration file, then the default", () =>
    Effect.gen(function* () {
      const config = write(yield* folder, "a.yaml", `master_key: ${KEY}\nserver: { host: 10.0.0.7, port: 4300 }\n`)
      const env = { GATEWAY_URL: "https://gateway.example.com/", GATEWAY_MASTER_KEY: KEY }
      assert.strictEqual((yield* found({ url: "http://localhost:9/sub/", config, env })).url, "http://localhost:9/sub")
      assert.strictEqual((yield* found({ config, env })).url, "https://gateway.example.com")
      assert.strictEqual((yield* found({ config })).url, "http://10.0.0.7:4300")
      const noServer = write(yield* folder, "b.yaml", `master_key: ${KEY}\n`)
      assert.strictEqual((yield* found({ config: noServer })).url, "http://127.0.0.1:4100")
    })
  )

  it.effect("GATEWAY_BASE_URL, as the clients have it, after GATEWAY_URL; with or without /v1", () =>
    Effect.gen(function* () {
      const env = { GATEWAY_BASE_URL: "https://base.example.com/sub/v1/", GATEWAY_MASTER_KEY: KEY }
      assert.strictEqual((yield* found({ env })).url, "https://base.example.com/sub")
      const both = { ...env, GATEWAY_URL: "https://gateway.example.com" }
      assert.strictEqual((yield* found({ env: both })).url, "https://gateway.example.com")
      assert.match(
        yield* message({ data: yield* folder, env: { ...env, GATEWAY_BASE_URL: "nowhere" } }),
        /^GATEWAY_BASE_URL: write an address/
      )
    })
  )

  it.effect("a server that listens everywhere is asked on this machine", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      for (const [host, asked] of [
        ["0.0.0.0", "127.0.0.1"],
        ["::", "127.0.0.1"],
        ["::1", "[::1]"]
      ]) {
        const config = write(cwd, "a.yaml", `master_key: ${KEY}\nserver: { host: "${host}" }\n`)
        assert.strictEqual((yield* found({ config })).url, `http://${asked}:4100`)
      }
    })
  )

  it.effect("is refused where it is no address, without repeating a password in it", () =>
    Effect.gen(function* () {
      const env = { GATEWAY_MASTER_KEY: KEY }
      const data = yield* folder
      assert.match(yield* message({ url: "ftp://x", env, data }), /^--url: write an address/)
      assert.match(
        yield* message({ data, env: { ...env, GATEWAY_URL: "127.0.0.1:4100" } }),
        /^GATEWAY_URL: write an address/
      )
      assert.notInclude(yield* message({ url: "http://root:hunter2@host", env, data }), "hunter2")
      const config = write(data, "a.yaml", "server: { port: 0 }\n")
      assert.match(yield* message({ config, env }), /says port 0.*--url/)
    })
  )
})

describe("the master key", () => {
  it.effect("GATEWAY_MASTER_KEY, then the configuration file, then the demo's file", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const config = write(data, "a.yaml", `master_key: ${KEY}\n`)
      write(data, "master-key", `${OTHER_KEY}\n`)
      const env = { GATEWAY_MASTER_KEY: "of-the-environment" }

      const fromEnvironment = yield* found({ config, data, env })
      assert.strictEqual(fromEnvironment.key, "of-the-environment")
      assert.strictEqual(fromEnvironment.keyFrom, "the environment variable GATEWAY_MASTER_KEY")

      const fromConfig = yield* found({ config, data })
      assert.strictEqual(fromConfig.key, KEY)
      assert.strictEqual(fromConfig.keyFrom, `master_key in ${config}`)

      const fromDemo = yield* found({ data })
      assert.strictEqual(fromDemo.key, OTHER_KEY)
      assert.strictEqual(fromDemo.keyFrom, join(data, "master-key"))
    })
  )

  it.effect("is filled in as the gateway does it, in every language", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      write(cwd, "secret", `${KEY}\n`)
      const yaml = write(cwd, "a.yaml", "master_key: ${file:secret}\n")
      assert.strictEqual((yield* found({ config: yaml })).key, KEY)
      const toml = write(cwd, "a.toml", 'master_key = "${OUR_KEY}"\n[server]\nport = 4200\n')
      const given = yield* found({ config: toml, env: { OUR_KEY: KEY } })
      assert.deepStrictEqual([given.key, given.url], [KEY, "http://127.0.0.1:4200"])
    })
  )

  it.effect("does not need what only the gateway itself needs", () =>
    Effect.gen(function* () {
      const text = `master_key: ${KEY}\nproviders: { openai: { api_key: "\${OPENAI_API_KEY}" }, a: { api_key: "\${file:/no/such}" } }\n`
      const config = write(yield* folder, "a.yaml", text)
      assert.strictEqual((yield* found({ config })).key, KEY)
      const unreadable = write(yield* folder, "b.yaml", "master_key: ${file:/no/such/secret}\n")
      assert.strictEqual((yield* found({ config: unreadable, env: { GATEWAY_MASTER_KEY: OTHER_KEY } })).key, OTHER_KEY)
    })
  )

  it.effect("that can't be had is said with the places that were looked at", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const config = write(data, "a.yaml", "server: { port: 4200 }\n")
      const missing = yield* message({ config, data })
      assert.strictEqual(
        missing,
        `no master key (looked in GATEWAY_MASTER_KEY, master_key in ${config}, ${join(data, "master-key")}): set GATEWAY_MASTER_KEY, or name the configuration file with --config, or the folder of a demo with --data. Or sign in with \`model-gateway login\``
      )
      assert.match(yield* message({ config: join(data, "none.yaml") }), /none\.yaml: no such file/)
      assert.match(
        yield* message({ config: write(data, "b.yaml", "master_key: short") }),
        /b\.yaml:1:13 master_key: .*32/
      )
      assert.match(yield* message({ config: write(data, "c.yaml", "master_key: [") }), /c\.yaml:\d+:\d+/)

      mkdirSync(join(data, "broken"))
      write(join(data, "broken"), "master-key", "two words of a secret")
      const broken = yield* message({ data: join(data, "broken") })
      assert.include(broken, "holds no master key")
      assert.notInclude(broken, "two words")
    })
  )
})
