/** From requests through the real port, and what their callers thought of the answers, to rows that `router train` reads. */
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { featureNames, featureSet } from "../../gateway/src/classifier/features/PromptFeatures.ts"
import { type OutcomeRow, readOutcomeLine } from "../../router-lab/src/training/Outcomes.ts"
import { call } from "../../gateway/test/support/RawHttp.ts"
import { startGateway, temporaryStore } from "../../gateway/test/support/RunningGateway.ts"
import { run } from "./Support.ts"

const EASY = "Hello"
const HARD =
  "Prove, step by step, that the square root of 2 is irrational, and derive a formula for the n-th convergent."

interface Asked {
  readonly prompt: string
  readonly model?: string
  readonly score?: number
}

const yamlWith = (keep: string) => `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/reasoner, demo/status-500]
router:
  keep_prompts: ${keep}
  buckets: { simple: [demo/status-500, demo/mini], reasoning: [demo/reasoner] }
  cut_points: [0.1]
failover: { base_delay: 1ms }
`

/** `router export` on the store of a gateway that is gone, which was asked all this. */
const exporter = Effect.fnUntraced(function* (keep: string, asked: ReadonlyArray<Asked>) {
  const store = yield* temporaryStore
  const use = Effect.gen(function* () {
    const { createKey, url } = yield* startGateway({ store, yaml: yamlWith(keep) })
    const { secret: key } = yield* createKey()
    for (const { model = "auto", prompt, score } of asked) {
      const body = { model, messages: [{ role: "user", content: prompt }] }
      const { headers } = yield* call(url, { path: "/v1/chat/completions", key, body })
      if (score === undefined) continue
      const path = `/v1/receipts/${headers["x-gateway-receipt-id"]}/feedback`
      assert.strictEqual((yield* call(url, { path, key, body: { score } })).status, 200)
    }
  })
  yield* Effect.scoped(use)
  return Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const ran = yield* run(["router", "export", "--store", store, ...args], { cwd: dirname(store) })
    assert.strictEqual(ran.code, 0, ran.stderr)
    return {
      ...ran,
      rows: ran.stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    }
  })
})

/** The rows that `router train` and `router eval` find in it; dies where they find fault with one. */
const readBack = (stdout: string): ReadonlyArray<OutcomeRow> =>
  stdout
    .split("\n")
    .slice(0, -1)
    .flatMap((line, index) => {
      const read = readOutcomeLine(line, index + 1)
      assert.isTrue("row" in read, JSON.stringify(read))
      return "row" in read && read.row !== undefined ? [read.row] : []
    })

describe("router export", () => {
  it.live("writes what router train reads: the text, who answered, how good it was and what it cost", () =>
    Effect.gen(function* () {
      const asked = [
        { prompt: EASY, score: 0.25 },
        { prompt: HARD, score: 1 },
        { prompt: "No word about this one" },
        { prompt: "Named", model: "demo/mini", score: 1 }
      ]
      const { rows, stderr, stdout } = yield* (yield* exporter("text", asked))()
      assert.deepStrictEqual(
        readBack(stdout).map(({ outcomes, prompt }) => [
          prompt,
          ...Array.from(outcomes, ([name, { quality }]) => [name, quality])
        ]),
        [
          [EASY, ["demo/mini", 0.25]],
          [HARD, ["demo/reasoner", 1]]
        ]
      )
      const [easy] = rows
      assert.match(easy.receipt_id, /^rcpt_/)
      assert.match(easy.at, /^\d{4}-.*Z$/)
      assert.isAbove(easy.outcomes["demo/mini"].cost_usd, 0)
      assert.deepInclude(easy, {
        bucket: "simple",
        requested_model: "auto",
        status: "ok",
        retries: 1,
        failures: [{ deployment: "demo/status-500", outcome: "unavailable" }],
        feedback: 0.25
      })
      assert.match(stderr, /^3 decisions, 2 of them to learn from\.\n/)
      assert.match(stderr, /left out; --all writes them too:\n {2}1 decision without feedback/)
    })
  )

  it.live("writes the numbers of features under the name of their set, where they were kept instead", () =>
    Effect.gen(function* () {
      const { rows, stdout } = yield* (yield* exporter("features", [{ prompt: HARD, score: 1 }]))()
      const [{ feature_set: set, features, prompt }] = rows
      assert.deepStrictEqual([set, features.length, prompt], [featureSet, featureNames.length, undefined])
      const [read] = readBack(stdout)
      assert.deepStrictEqual(Array.from(read?.features ?? []), features)
    })
  )

  it.live("says that nothing was kept and what to set; --all writes such decisions, and those without feedback", () =>
    Effect.gen(function* () {
      const asked = [{ prompt: EASY, score: 0.5 }, { prompt: HARD }]
      const out = yield* exporter("off", asked)
      const none = yield* out()
      assert.strictEqual(none.stdout, "")
      assert.match(none.stderr, /^2 decisions, 0 of them to learn from\./)
      assert.match(none.stderr, /2 decisions without text or features of the prompt: router\.keep_prompts was off/)
      const all = yield* out("--all")
      const qualities = all.rows.map(({ feedback, outcomes }) => [
        feedback,
        ...Object.values<{ quality: number | null }>(outcomes).map(({ quality }) => quality)
      ])
      assert.deepStrictEqual(qualities, [
        [0.5, 0.5],
        [null, null]
      ])
      assert.isUndefined(all.rows[0].prompt)
      assert.deepStrictEqual(readBack(all.stdout), [])
    })
  )

  it.live("goes by bucket, model and time", () =>
    Effect.gen(function* () {
      const asked = [
        { prompt: EASY, score: 0.5 },
        { prompt: HARD, score: 1 }
      ]
      const out = yield* exporter("text", asked)
      const prompts = (...args: ReadonlyArray<string>) =>
        Effect.map(out(...args), ({ rows }) => rows.map(({ prompt }) => prompt))
      assert.deepStrictEqual(yield* prompts("--bucket", "reasoning", "--from", "1h"), [HARD])
      assert.deepStrictEqual(yield* prompts("--model", "demo/mini"), [EASY])
      const nothing = yield* out("--bucket", "resoning")
      assert.strictEqual(
        nothing.stderr,
        "There are no decisions of auto in that time for what --bucket and --model choose.\n"
      )
      const before = yield* out("--to", "1h")
      assert.deepStrictEqual([before.stdout, before.stderr], ["", "There are no decisions of auto in that time.\n"])
    })
  )
})
