/** Who may come in: the first rows of the error table, through the port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../support/RunningGateway.ts"

const body = { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] }

const started = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { id, secret } = yield* gateway.createKey()
  const chat = (headers: Readonly<Record<string, string>>) =>
    call(gateway.url, { path: "/v1/chat/completions", headers, body })
  const withKey = (key: string) => chat({ authorization: `Bearer ${key}` })
  return { ...gateway, id, secret, chat, withKey }
})

/** One character of the secret changed for another. */
const tampered = (secret: string, at: number) =>
  `${secret.slice(0, at)}${secret[at] === "a" ? "b" : "a"}${secret.slice(at + 1)}`

describe("credentials", () => {
  it.live("none, or one that opens nothing, is a 401 with WWW-Authenticate", () =>
    Effect.gen(function* () {
      const { chat, secret, withKey } = yield* started
      const missing = yield* chat({})
      assert.strictEqual(missing.status, 401)
      assert.strictEqual(missing.headers["www-authenticate"], "Bearer")
      assert.deepInclude(missing.json.error, { type: "authentication_error", code: "missing_api_key", param: null })
      for (const wrong of [
        "sk-proj-of-another-vendor",
        "mgw_short",
        tampered(secret, secret.length - 20),
        tampered(secret, secret.length - 1),
        `${secret}x`,
        secret.slice(0, -1)
      ]) {
        const { headers, json, status, text } = yield* withKey(wrong)
        assert.strictEqual(status, 401, wrong)
        assert.strictEqual(headers["www-authenticate"], "Bearer")
        assert.deepInclude(json.error, { type: "authentication_error", code: "invalid_api_key", param: null })
        assert.notInclude(text, wrong)
      }
    })
  )

  it.live("an empty or foreign Authorization header is not a key", () =>
    Effect.gen(function* () {
      const { chat, secret } = yield* started
      for (const authorization of [
        "",
        "Bearer",
        "Bearer ",
        `Basic ${btoa(`user:${secret}`)}`,
        `Bearer ${secret} ${secret}`
      ]) {
        assert.strictEqual((yield* chat({ authorization })).status, 401, authorization)
      }
    })
  )

  it.live("a key is taken from the headers of other vendors' clients as well", () =>
    Effect.gen(function* () {
      const { chat, secret } = yield* started
      for (const name of ["x-api-key", "api-key", "x-goog-api-key", "X-API-KEY"]) {
        assert.strictEqual((yield* chat({ [name]: secret })).status, 200, name)
        assert.strictEqual((yield* chat({ [name]: tampered(secret, 30) })).status, 401, name)
      }
      assert.strictEqual((yield* chat({ authorization: `bearer ${secret}` })).status, 200)
    })
  )

  it.live("an empty Authorization header does not hide the key in another one", () =>
    Effect.gen(function* () {
      const { chat, secret } = yield* started
      for (const authorization of ["", "Bearer", "Bearer ", "bearer  "]) {
        assert.strictEqual((yield* chat({ authorization, "x-api-key": secret })).status, 200, authorization)
        assert.strictEqual((yield* chat({ authorization, "x-api-key": `${secret}x` })).status, 401, authorization)
      }
      // One that says something is the credential, whatever else there is.
      assert.strictEqual((yield* chat({ authorization: "Bearer other", "x-api-key": secret })).status, 401)
    })
  )

  it.live("a deleted key is refused at once", () =>
    Effect.gen(function* () {
      const { id, keys, secret, withKey } = yield* started
      assert.strictEqual((yield* withKey(secret)).status, 200)
      yield* Effect.orDie(keys.revoke(id))
      const { json, status } = yield* withKey(secret)
      assert.deepStrictEqual([status, json.error.code], [401, "revoked_api_key"])
      // Only who knows the secret is told that it was revoked.
      const other = yield* withKey(tampered(secret, secret.length - 20))
      assert.strictEqual(other.json.error.code, "invalid_api_key")
    })
  )

  it.live("keys and their revocation outlive a restart", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const before = Effect.gen(function* () {
        const { createKey, keys } = yield* startGateway({ store })
        const kept = yield* createKey()
        const deleted = yield* createKey()
        yield* Effect.orDie(keys.revoke(deleted.id))
        return { kept, deleted }
      })
      const { deleted, kept } = yield* Effect.scoped(before)
      const { url } = yield* startGateway({ store })
      const own = ({ secret }: { readonly secret: string }) =>
        call(url, { method: "GET", path: "/v1/key", key: secret })
      assert.strictEqual((yield* own(kept)).json.id, kept.id)
      const { json, status } = yield* own(deleted)
      assert.deepStrictEqual([status, json.error.code], [401, "revoked_api_key"])
    })
  )

  it.live("a disabled key is refused until it is enabled again", () =>
    Effect.gen(function* () {
      const { id, keys, secret, withKey } = yield* started
      yield* Effect.orDie(keys.update(id, { disabled: true }))
      const { json, status } = yield* withKey(secret)
      assert.deepStrictEqual([status, json.error.code], [401, "disabled_api_key"])
      yield* Effect.orDie(keys.update(id, { disabled: false }))
      assert.strictEqual((yield* withKey(secret)).status, 200)
    })
  )

  it.live("an expired key is refused", () =>
    Effect.gen(function* () {
      const { createKey, withKey } = yield* started
      const { secret } = yield* createKey({ expiresAt: Date.now() - 1 })
      const { json, status } = yield* withKey(secret)
      assert.deepStrictEqual([status, json.error.code], [401, "expired_api_key"])
    })
  )

  it.live("the master key does not open /v1", () =>
    Effect.gen(function* () {
      const { url, withKey } = yield* started
      const { json, status, text } = yield* withKey(masterKey)
      assert.strictEqual(status, 403)
      assert.deepInclude(json.error, { type: "permission_error", code: "wrong_key_kind", param: null })
      assert.notInclude(text, masterKey)
      for (const path of ["/v1/models", "/v1/key"]) {
        assert.strictEqual((yield* call(url, { method: "GET", path, key: masterKey })).status, 403, path)
      }
    })
  )

  it.live("every path of /v1 requires a key, before it says anything else", () =>
    Effect.gen(function* () {
      const { url } = yield* started
      for (const [method, path] of [
        ["GET", "/v1/models"],
        ["GET", "/v1/models/demo%2Fmini"],
        ["GET", "/v1/key"],
        ["DELETE", "/v1/key"],
        ["POST", "/openai/v1/chat/completions"],
        ["POST", "//v1//chat/completions/"]
      ] as const) {
        const { json, status } = yield* call(url, { method, path })
        assert.strictEqual(status, 401, path)
        assert.strictEqual(json.error.code, "missing_api_key", path)
      }
    })
  )

  it.live("GET /v1/key tells a caller of its own key, without the secret", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* started
      const { id, secret } = yield* createKey({ name: "app", team: "red", models: ["demo/*"], tags: ["x"] })
      const { json, status, text } = yield* call(url, { method: "GET", path: "/v1/key", key: secret })
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { object: "key", id, name: "app", team: "red", status: "active" })
      assert.deepStrictEqual(json.limits, { rpm: null, tpm: null, max_parallel: null })
      assert.notInclude(text, secret.slice(-49))
    })
  )
})
