/** Requests that are refused before they are routed: each leaves a receipt, floods of them one for many. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"

const hello = { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] }
const path = "/v1/chat/completions"

interface Shown {
  readonly error: string
  readonly key_id: string
  readonly key_name: string | null
  readonly team: string | null
  readonly endpoint: string | null
  readonly requested_model: string | null
  readonly status: string
  readonly refusal: { readonly http_status: number; readonly count: number; readonly method: string }
}

describe("a request that is refused before it is routed", () => {
  it.live("leaves a receipt with its error, whatever the reason, and its key where that is known", () =>
    Effect.gen(function* () {
      const { admin, createKey, keys, url } = yield* startGateway()
      const one = yield* createKey({ name: "ci", team: "red", models: ["demo/mini"] })
      const limited = yield* createKey({ name: "limited", limits: { rpm: 1, tpm: undefined, maxParallel: undefined } })
      const gone = yield* createKey({ name: "gone" })
      yield* Effect.orDie(keys.revoke(gone.id))
      const key = one.secret
      const statuses = [
        (yield* call(url, { path, body: hello })).status,
        (yield* call(url, { path, key: "sk-wrong", body: hello })).status,
        (yield* call(url, { path, key: gone.secret, body: hello })).status,
        (yield* call(url, { path, key: masterKey, body: hello })).status,
        (yield* call(url, { path, key, body: { ...hello, model: "demo/large" } })).status,
        (yield* call(url, { path, key, body: { ...hello, model: "gpt-none" } })).status,
        (yield* call(url, { path, key, body: "{" })).status,
        (yield* call(url, { path, key, body: { ...hello, messages: 1 } })).status,
        (yield* call(url, { path: "/v1/chat/complet", key, body: hello })).status,
        (yield* call(url, { path: "/chat/completions", key, body: hello })).status,
        (yield* call(url, { path, key, method: "GET" })).status,
        (yield* call(url, { path, key: limited.secret, body: hello })).status,
        (yield* call(url, { path, key: limited.secret, body: hello })).status
      ]
      assert.deepStrictEqual(statuses, [401, 401, 401, 403, 403, 404, 400, 400, 404, 404, 405, 200, 429])
      const { json } = yield* admin("GET", "/admin/requests?status=refused")
      const found: ReadonlyArray<Shown> = json.data
      const rowOf = ({ endpoint, error, key_name, refusal, requested_model, team }: Shown) => [
        refusal.http_status,
        error,
        key_name,
        team,
        endpoint,
        requested_model
      ]
      assert.deepStrictEqual(found.map(rowOf).toReversed(), [
        [401, "missing_api_key", null, null, path, null],
        [401, "invalid_api_key", null, null, path, null],
        [401, "revoked_api_key", "gone", null, path, null],
        [403, "wrong_key_kind", null, null, path, null],
        [403, "model_not_allowed", "ci", "red", path, "demo/large"],
        [404, "model_not_found", "ci", "red", path, "gpt-none"],
        [400, "invalid_json", "ci", "red", path, null],
        [400, "invalid_field", "ci", "red", path, null],
        [404, "not_found", "ci", "red", null, null],
        [404, "not_found", "ci", "red", null, null],
        [405, "method_not_allowed", "ci", "red", null, null],
        [429, "rate_limit_exceeded", "limited", null, path, null]
      ])
      assert.strictEqual(json.data[0].refusal.limit, "rpm")
      const ofKey = yield* admin("GET", "/admin/requests?key=ci&error=model_not_found")
      assert.lengthOf(ofKey.json.data, 1)
      const shown = yield* admin("GET", `/admin/requests/${ofKey.json.data[0].id}`)
      assert.include(shown.json.refusal.message, "gpt-none")
      const traffic = yield* admin("GET", "/admin/traffic?group_by=key,error&status=refused")
      const row = traffic.json.rows.find(({ error }: { error: string }) => error === "model_not_found")
      assert.deepInclude(row, { key: one.id, key_name: "ci", requests: 1, refused: 1 })
    })
  )
})
