import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { against, refused } from "../admin/Against.ts"
import { invoke } from "../Invoke.ts"

const candidate = {
  deployment: "demo/mini",
  provider: "demo",
  model: "mini",
  bucket: "simple",
  fate: "lower_bucket",
  place: null,
  why: null,
  expected_cost_usd: 0.0006
}

const explanation = {
  object: "route.explanation",
  endpoint: "/v1/chat/completions",
  requested_model: "auto",
  bucket: "complex",
  score: 0.71,
  cut_points: [0.5, 0.8, 0.99],
  prefer: "cost",
  features: [{ name: "code marks", value: 3.25, weight: 0.12 }],
  decision: {
    provider: "demo",
    model: "large",
    deployment: "eu",
    bucket: "complex",
    score: 0.71,
    reasons: ["auto: score 0.71 is not below 0.5 and below 0.8, bucket complex", "code marks +0.12"]
  },
  refusal: null,
  candidates: [
    candidate,
    { ...candidate, bucket: "standard", fate: "filtered", why: "demo/mini does not support tools" },
    { ...candidate, deployment: "eu", model: "large", bucket: "complex", fate: "chosen", place: 1 },
    { ...candidate, bucket: "reasoning", fate: "unhealthy", place: 2, expected_cost_usd: null }
  ],
  expected_cost: { usd: 0.0101, input_tokens: 1047, output_tokens: 1000, assumption: "…" },
  shadow: null,
  model: { name: "mine", date: "2026-11-21", file: "/srv/r.json", loaded_at: "2026-11-21T10:00:00.000Z", refused: null }
}

const ANSWER = { "POST /admin/route/explain": { body: explanation } }
const HELLO = { model: "auto", messages: [{ role: "user", content: "Hello" }] }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-explain-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("router explain", () => {
  it.effect("wants the key that a session belongs to", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* invoke(["router", "explain", "--session", "s", "Hello"], {})
      assert.strictEqual(code, 2)
      assert.include(stderr, "say which with --key")
    })
  )

  it.effect("sends a prompt with the hints, and shows the answer to people", () =>
    Effect.gen(function* () {
      const flags = ["--prefer", "cost", "--key", "key_a", "--session", "s"]
      const { bodies, code, stderr, stdout } = yield* against(ANSWER, ["router", "explain", "Hello", ...flags])
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(bodies, [{ request: HELLO, prefer: "cost", key: "key_a", session_id: "s" }])
      for (const line of [
        /^goes to +eu, bucket complex$/m,
        /^score +0\.71, bucket complex$/m,
        /^cut points +0\.5, 0\.8, 0\.99, as the caller prefers cost$/m,
        /^expected cost +\$0\.0101 for 1,047 tokens in, 1,000 out$/m,
        /^scored by +mine of 2026-11-21, from \/srv\/r\.json, loaded 2026-11-21 10:00 UTC$/m,
        /^code marks +3\.25 +\+0\.120$/m,
        /^simple +demo\/mini +- +\$0\.0006 +in a lower bucket$/m,
        /^standard +demo\/mini +- +\$0\.0006 +demo\/mini does not support tools$/m,
        /^complex +eu +1 +\$0\.0006 +chosen$/m,
        /^reasoning +demo\/mini +2 +unknown +last resort: unhealthy, full or pausing$/m
      ]) {
        assert.match(stdout, line)
      }
    })
  )

  it.effect("shows a refusal as what the caller would get", () =>
    Effect.gen(function* () {
      const refusal = { status: 403, type: "permission_error", code: "model_not_allowed", message: "Not for you." }
      const body = { ...explanation, decision: null, refusal, features: [] }
      const { stdout } = yield* against({ "POST /admin/route/explain": { body } }, ["router", "explain", "Hello"])
      assert.match(stdout, /^goes to +nothing: it would be refused\n +403 model_not_allowed: Not for you\.$/m)
    })
  )

  it.effect("sends a file as it is, for the endpoint named", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "body.json")
      writeFileSync(file, '{"input": "Hi"}')
      const args = ["router", "explain", "--file", file, "--endpoint", "/v1/responses", "--json"]
      const { bodies, stdout } = yield* against(ANSWER, args)
      assert.deepStrictEqual(bodies, [{ request: { input: "Hi" }, endpoint: "/v1/responses" }])
      assert.deepStrictEqual(JSON.parse(stdout), explanation)
    })
  )

  it.effect("says what is wrong with the call before it asks anybody", () =>
    Effect.gen(function* () {
      yield* refused(["router", "explain"], /give a prompt.*or a request with --file/)
      yield* refused(["router", "explain", "Hi", "--file", "x.json"], /one of the two/)
      yield* refused(["router", "explain", "Hi", "--prefer", "speed"], /cost/)
      yield* refused(["router", "explain", "Hi", "--offline", "--key", "key_a"], /^--key: .*leave out --offline/)
      const file = join(yield* folder, "body.json")
      writeFileSync(file, "[1]")
      const { code, stderr } = yield* against({}, ["router", "explain", "--file", file])
      assert.strictEqual(code, 1)
      assert.match(stderr, /holds no JSON object/)
    })
  )

  it.effect("works without a gateway, from the configuration file alone", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "prod.yaml")
      writeFileSync(
        file,
        "master_key: k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E\nproviders: { demo: }\nrouter: { buckets: { low: demo/mini, high: demo/large } }\n"
      )
      const ran = yield* invoke(["router", "explain", "--offline", "--config", file, "Hello"], {})
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.match(ran.stdout, /^goes to +demo\/mini, bucket low$/m)
      assert.match(ran.stdout, /^high +demo\/large +2 .*spare$/m)
      const without = yield* invoke(["router", "explain", "--offline", "--config", `${file}.no`, "Hello"], {})
      assert.strictEqual(without.code, 1)
      assert.match(without.stderr, /no such file/)
    })
  )
})
