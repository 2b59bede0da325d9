/** `POST /admin/route/explain` through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { RouteExplanation } from "@model-gateway/protocol"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const PATH = "/admin/route/explain"
const PROOF = "Prove step by step that there are infinitely many prime numbers, and then generalise the proof."
const chat = (content: unknown, more: object = {}) => ({ messages: [{ role: "user", content }], ...more })

interface Shown {
  readonly bucket: string | null
  readonly deployment: string
  readonly fate: string
  readonly place: number | null
  readonly why: string | null
}

const fates = (candidates: ReadonlyArray<Shown>) =>
  Object.fromEntries(candidates.map(({ bucket, deployment, fate }) => [`${bucket} ${deployment}`, fate]))

describe("explain", () => {
  it.effect("takes a chat body as it is: score, bucket, cut points, features, every candidate, the cost", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const { json, status } = yield* send("POST", PATH, chat(PROOF, { model: "auto", max_tokens: 200 }))
      assert.strictEqual(status, 200)
      conforms(RouteExplanation, json)
      assert.deepInclude(json, { object: "route.explanation", requested_model: "auto", prefer: null, refusal: null })
      assert.deepStrictEqual(json.cut_points, [0.35, 0.65, 0.85])
      assert.isAbove(json.score, 0)
      assert.strictEqual(json.decision.score, json.score)
      assert.strictEqual(json.decision.bucket, json.bucket)
      assert.isAtLeast(json.features.length, 3)
      const weights = json.features.map(({ weight }: { readonly weight: number }) => Math.abs(weight))
      assert.deepStrictEqual(
        weights,
        weights.toSorted((a: number, b: number) => b - a)
      )
      const [first] = json.candidates.filter(({ fate }: Shown) => fate === "chosen")
      assert.strictEqual(first.deployment, json.decision.deployment)
      assert.strictEqual(first.bucket, json.bucket)
      assert.strictEqual(json.expected_cost.usd, first.expected_cost_usd)
      assert.isAbove(json.expected_cost.usd, 0)
      assert.strictEqual(json.expected_cost.output_tokens, 200)
      assert.include(json.expected_cost.assumption, "output")
      assert.lengthOf(json.candidates, 4)
      assert.isNull(json.model.file)
    })
  )

  it.effect("says what became of each deployment: filtered and why, out of rotation, in a lower bucket", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      yield* send("POST", "/admin/deployments/disable", { deployment: "demo/large" })
      const { id } = yield* createKey({ models: ["auto", "demo/mini", "demo/large", "demo/reasoner"] })
      const asked = { request: chat("Hello"), key: id }
      const hello = (yield* send("POST", PATH, asked)).json
      assert.deepStrictEqual(fates(hello.candidates), {
        "simple demo/mini": "chosen",
        "standard demo/standard": "filtered",
        "complex demo/large": "filtered",
        "reasoning demo/reasoner": "spare"
      })
      assert.deepStrictEqual(
        hello.candidates.map(({ why }: Shown) => why),
        [null, "demo/standard was skipped: the key may not use it", "demo/large was skipped: disabled", null]
      )
      const photo = { type: "image_url", image_url: { url: "https://a/b.png" } }
      const image = (yield* send("POST", PATH, chat([photo]))).json
      assert.deepStrictEqual([image.bucket, image.score, image.features], ["standard", 0.5, []])
      assert.strictEqual(fates(image.candidates)["simple demo/mini"], "lower_bucket")
    })
  )

  it.effect("moves the cut points as a caller's preference would", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const points = (prefer: string) =>
        Effect.map(send("POST", PATH, { request: chat(PROOF), prefer }), ({ json }) => json.cut_points)
      assert.deepStrictEqual(yield* points("cost"), [0.5, 0.8, 0.99])
      assert.deepStrictEqual(yield* points("quality"), [0.2, 0.5, 0.7])
    })
  )

  it.effect("says whether a short message goes on with the task before it, or asks for nothing", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* startAdmin
      const { key } = yield* createKey()
      const talk = (last: string, answer = "First, suppose that there are finitely many.") => ({
        model: "auto",
        messages: [
          { role: "user", content: PROOF },
          { role: "assistant", content: answer },
          { role: "user", content: last }
        ]
      })
      const { bucket, score } = (yield* send("POST", PATH, chat(PROOF))).json
      assert.notStrictEqual(bucket, "simple")
      for (const [body, follows] of [
        [talk("continue"), true],
        [talk("ok"), true],
        [talk("thanks"), false],
        [talk("Thank you, bye!"), false],
        [talk("👍"), false],
        [talk("👍", "Shall I prove it?"), true]
      ] as const) {
        const { json } = yield* send("POST", PATH, body)
        const what = JSON.stringify(body.messages.slice(1))
        assert.deepStrictEqual([json.bucket, json.score === score], [follows ? bucket : "simple", follows], what)
        assert.include(
          json.decision.reasons,
          follows
            ? "a short follow-up: scored by the message it follows"
            : "a courtesy that asks for nothing: scored by itself, not by what it follows",
          what
        )
        const asked = yield* call(gateway.url, { path: "/v1/chat/completions", key, body })
        assert.strictEqual(asked.headers["x-gateway-route-bucket"], json.bucket, what)
      }
    })
  )

  it.effect("reads the bodies of Responses, Completions and Embeddings", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const explain = (endpoint: string, request: object) => send("POST", PATH, { endpoint, request })
      const { score } = (yield* send("POST", PATH, chat(PROOF))).json
      assert.strictEqual((yield* explain("/v1/responses", { input: PROOF })).json.score, score)
      const input = [{ role: "user", content: [{ type: "input_text", text: PROOF }] }]
      assert.strictEqual((yield* explain("/v1/responses", { input })).json.score, score)
      assert.strictEqual((yield* explain("/v1/completions", { prompt: [PROOF, "Hi"] })).json.score, score)
      const vectors = (yield* explain("/v1/embeddings", { input: PROOF })).json
      assert.deepInclude(vectors, { bucket: "none", score: 0, decision: null, candidates: [] })
      assert.deepInclude(vectors.refusal, { status: 400 })
      assert.include(vectors.refusal.message, "embeddings")
    })
  )

  it.effect("explains a named model, and what auto would say of the prompt", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const { json } = yield* send("POST", PATH, chat(PROOF, { model: "failover" }))
      assert.deepInclude(json.decision, { deployment: "demo/status-500", bucket: "none", score: 0 })
      assert.isAbove(json.score, 0)
      assert.deepStrictEqual(fates(json.candidates), { "null demo/status-500": "chosen", "null demo/mini": "spare" })
      const nothing = (yield* send("POST", PATH, chat(PROOF, { model: "gpt-9" }))).json
      assert.isNull(nothing.decision)
      assert.deepInclude(nothing.refusal, { status: 404, code: "model_not_found" })
    })
  )

  it.effect("calls nobody, books nothing and remembers nothing", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* startAdmin
      const { id, key } = yield* createKey()
      const ask = (content: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key,
          headers: { "X-Gateway-Session-Id": "s" },
          body: { model: "auto", ...chat(content) }
        })
      for (let times = 0; times < 3; times++) {
        yield* send("POST", PATH, { request: chat(PROOF.repeat(5)), key: id, session_id: "s" })
      }
      assert.lengthOf(yield* gateway.ledger, 0)
      assert.strictEqual((yield* send("GET", `/admin/keys/${id}`)).json.last_used_at, null)
      // The session does not know of the proofs.
      assert.strictEqual((yield* ask("continue")).headers["x-gateway-route-bucket"], "simple")
      const real = yield* ask(PROOF.repeat(5))
      const { json } = yield* send("POST", PATH, { request: chat("continue"), key: id, session_id: "s" })
      assert.strictEqual(json.bucket, real.headers["x-gateway-route-bucket"])
      assert.strictEqual(String(json.score), real.headers["x-gateway-route-score"])
    })
  )

  it.effect("refuses what it can't read, naming the field, and everybody without the master key", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const rows: ReadonlyArray<readonly [unknown, string]> = [
        [[], "body"],
        [{}, "messages"],
        [chat("Hi", { prefer: "cost" }), "prefer"],
        [chat("Hi", { key: "key_x" }), "key"],
        [{ request: chat("Hi"), prefer: "speed" }, "prefer"],
        [{ request: chat("Hi"), endpoint: "/v1/moderations" }, "endpoint"],
        [{ request: chat("Hi"), perfer: "cost" }, "perfer"],
        [{ request: { messages: [{}] } }, "messages[0].role"],
        [{ request: { input: 5 }, endpoint: "/v1/responses" }, "input"]
      ]
      for (const [body, param] of rows) {
        const answer = yield* send("POST", PATH, body)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param], answer.text)
      }
      const unknown = yield* send("POST", PATH, { request: chat("Hi"), key: "key_nobody" })
      assert.strictEqual(unknown.status, 404)
      const { key } = yield* createKey()
      assert.strictEqual((yield* send("POST", PATH, chat("Hi"), { key })).status, 403)
    })
  )
})
