import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, PlatformError, Redacted } from "effect"
import { loadSettings } from "../../src/config/LoadSettings.ts"
import { environment, fixture, masterKey, vendors, withBasics } from "./Support.ts"

/** A disk that holds these files, and one that can't be read. */
const disk = (files: Readonly<Record<string, string>>) =>
  FileSystem.layerNoop({
    readFileString: (path) => {
      const content = files[path]
      return content !== undefined
        ? Effect.succeed(content)
        : Effect.fail(
            PlatformError.systemError({
              _tag: path === "/locked" ? "PermissionDenied" : "NotFound",
              module: "FileSystem",
              method: "readFileString",
              pathOrDescriptor: path
            })
          )
    }
  })

const load = (file: string) => loadSettings({ file, vendors, environment })

describe("loadSettings", () => {
  it.effect("reads the file and the files it names, relative ones from its folder", () =>
    Effect.gen(function* () {
      const settings = yield* load("/etc/gateway/gateway.yaml")
      assert.strictEqual(Redacted.value(settings.masterKey), masterKey)
      assert.deepStrictEqual(settings.providers[0]?.apiKeys.map(Redacted.value), ["sk-from-file"])
      assert.strictEqual(settings.store.sqlite, "/etc/gateway/gateway.db")
    }).pipe(
      Effect.provide(
        disk({
          "/etc/gateway/gateway.yaml": withBasics("")
            .replace("${GATEWAY_MASTER_KEY}", "${file:secrets/master}")
            .replace("${OPENAI_API_KEY}", "${file:/run/secrets/openai}"),
          "/etc/gateway/secrets/master": `${masterKey}\r\n`,
          "/run/secrets/openai": "sk-from-file\n"
        })
      )
    )
  )

  it.effect("says which file is missing and what to do", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(load("gateway.yaml"))
      assert.strictEqual(missing.message, "gateway.yaml: no such file; `model-gateway init` writes one to start from")
      const locked = yield* Effect.flip(load("/locked"))
      assert.strictEqual(locked.message, "/locked: can't be read: no permission to read it")
    }).pipe(Effect.provide(disk({})))
  )

  it.effect("says at the place of a ${file:…} why it can't be read, with all other problems", () =>
    Effect.gen(function* () {
      const invalid = yield* Effect.flip(load("gateway.yaml"))
      assert.deepStrictEqual(invalid.message.split("\n"), [
        "gateway.yaml:2:33 providers.openai.api_key: the file /locked can't be used: no permission to read it; it must hold the value and nothing else",
        "gateway.yaml:4:17 server.port: -1 is not a whole number from 0 to 65535"
      ])
    }).pipe(
      Effect.provide(
        disk({ "gateway.yaml": withBasics("server: { port: -1 }").replace("${OPENAI_API_KEY}", "${file:/locked}") })
      )
    )
  )

  it.effect("reads TOML and JSON by the extension", () =>
    Effect.gen(function* () {
      const toml = yield* load("gateway.toml")
      const json = yield* load("gateway.JSON")
      assert.deepStrictEqual(toml.deployments, json.deployments)
    }).pipe(
      Effect.provide(disk({ "gateway.toml": fixture("operating.toml"), "gateway.JSON": fixture("operating.json") }))
    )
  )
})
