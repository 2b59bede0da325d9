import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { invoke } from "../Invoke.ts"
import { folder, run } from "../Support.ts"

/** The large deployment is needed for proofs and never for greetings; it costs twenty times as much. */
const rowOf = (index: number) => {
  const isHard = index % 2 === 0
  const name = `number ${index}`
  return {
    prompt: isHard
      ? `Prove that for every integer n > ${index} there are x, y with x^2 + y^2 = n, if and only if n satisfies the condition. Justify every step.`
      : `hi there ${name}`,
    outcomes: {
      small: { quality: isHard ? 0 : 1, cost_usd: 0.0001 },
      large: { quality: index % 10 === 0 ? 0 : 1, cost_usd: 0.002 }
    }
  }
}
const lines = (rows: ReadonlyArray<object>) => rows.map((row) => JSON.stringify(row)).join("\n")
const good = lines(Array.from({ length: 200 }, (_, index) => rowOf(index)))

const withFile = (text: string, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = join(yield* folder, "outcomes.jsonl")
    writeFileSync(file, text)
    const ran = yield* invoke(["router", "eval", file, ...flags], {})
    return { ...ran, stderr: ran.stderr.replaceAll(file, "FILE") }
  })

describe("router eval", () => {
  it.live("prints the tables of a file, as text and as JSON, in a process of its own", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, "outcomes.jsonl"), good)
      const text = yield* run(["router", "eval", "outcomes.jsonl"], { cwd })
      assert.deepStrictEqual([text.code, text.stderr], [0, ""])
      assert.match(text.stdout, /^Outcomes {2}outcomes\.jsonl, 200 rows; of 200 prompts both sides are known\n/)
      assert.match(text.stdout, /Weak {6}small, mean quality 0\.500, \$0\.0001 a request\n/)
      assert.match(text.stdout, /Strong {4}large, mean quality 0\.900, \$0\.002 a request\n/)
      assert.match(text.stdout, /\nrandom +0\.500 \(0\.500 to 0\.500\) +50\.0 % \(50\.0 to 50\.0\)/)
      for (const name of ["prompt length", "this model", "oracle"]) assert.include(text.stdout, `\n${name} `)

      const json = yield* run(["router", "eval", "outcomes.jsonl", "--json", "--seed", "3"], { cwd })
      const found = JSON.parse(json.stdout)
      assert.deepStrictEqual(
        [found.rows, found.prompts, found.weak.deployments, found.strong.deployments],
        [200, 200, ["small"], ["large"]]
      )
      const { length, oracle, ours, random } = found.rankings
      assert.strictEqual(random.apgr.value, 0.5)
      // Proofs before greetings: everything is gained in the first half of the calls.
      assert.approximately(ours.apgr.value, 0.75, 0.03)
      assert.approximately(oracle.apgr.value, 0.8, 0.03)
      for (const { apgr, cost_at_95_percent_quality: cost } of [length, oracle, ours]) {
        assert.isTrue(apgr.low <= apgr.value && apgr.value <= apgr.high)
        assert.isTrue(cost.low > 0 && cost.high < 1)
      }
      assert.deepStrictEqual(
        (yield* run(["router", "eval", "outcomes.jsonl", "--json", "--seed", "3"], { cwd })).stdout,
        json.stdout
      )
    })
  )

  it.live("takes the pair that is named, and goes without costs where a row has none", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 80 }, (_, index) => {
        const { outcomes, prompt } = rowOf(index)
        const large = { quality: outcomes.large.quality }
        return { prompt, outcomes: { ...outcomes, large, other: { quality: 0.2 } } }
      })
      const { code, stdout } = yield* withFile(lines(rows), "--weak", "other", "--strong", "small", "--json")
      assert.strictEqual(code, 0)
      const found = JSON.parse(stdout)
      assert.deepStrictEqual([found.weak.deployments, found.strong.deployments], [["other"], ["small"]])
      assert.strictEqual(found.strong.cost_usd, null)
      assert.deepStrictEqual(found.rankings.ours.cost_at_95_percent_quality, { value: null, low: null, high: null })
      const text = yield* withFile(lines(rows))
      assert.include(text.stdout, "cost not known")
      assert.include(text.stdout, "need `cost_usd` of every prompt on both sides")
    })
  )

  it.live("takes rows of the same prompt for one, as router export writes them, and leaves out what has no text", () =>
    Effect.gen(function* () {
      const apart = Array.from({ length: 200 }, (_, index) => {
        const { outcomes, prompt } = rowOf(index)
        return Object.entries(outcomes).map(([name, outcome]) => ({ prompt, outcomes: { [name]: outcome } }))
      }).flat()
      const exported = { receipt_id: "req_1", outcomes: { small: { quality: null } } }
      const ran = yield* withFile(lines([...apart, exported]), "--json")
      assert.strictEqual(ran.code, 0, ran.stderr)
      const whole = JSON.parse((yield* withFile(good, "--json")).stdout)
      const found = JSON.parse(ran.stdout)
      assert.deepStrictEqual([found.rows, found.prompts], [401, 200])
      assert.deepStrictEqual(found.rankings, whole.rankings)
    })
  )

  it.live("says what is wrong with a file: every row and field, too few rows, nothing to route for", () =>
    Effect.gen(function* () {
      const broken = yield* withFile(`${good}\n{"prompt": 7, "outcomes": {"large": {"quality": 3}}}\nno json`)
      assert.deepStrictEqual(broken, {
        code: 1,
        stdout: "",
        stderr: [
          "FILE can't be used: 3 problems.",
          "  line 201, prompt: must be the text of the prompt, not 7",
          "  line 201, outcomes.large.quality: must be a number from 0 to 1, not 3",
          "  line 202: is not JSON; each line must be one JSON object\n"
        ].join("\n")
      })
      const many = yield* withFile("x\n".repeat(100))
      assert.match(many.stderr, /line 20: .*\n {2}and 80 more\n$/)

      const few = yield* withFile(lines(Array.from({ length: 12 }, (_, index) => rowOf(index))))
      assert.strictEqual(
        few.stderr,
        "FILE: the 12 rows have 12 different prompts whose outcomes on both sides (small and large) are known; at least 50 are needed.\n"
      )
      const same = yield* withFile(good, "--weak", "large", "--strong", "small")
      assert.match(
        same.stderr,
        /^FILE: small responded no better than large to these 200 prompts \(mean quality 0\.500 and 0\.900\): routing gains nothing\./
      )
      const alone = yield* withFile(`{"prompt": "x", "outcomes": {"small": {"quality": 1}}}`)
      assert.match(alone.stderr, /^All outcomes are of small: there is nothing to choose between\./)
      const none = yield* withFile("\n\n")
      assert.match(none.stderr, /^FILE has no rows; each line must be/)
      const unknown = yield* withFile(good, "--weak", "tiny")
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.include(unknown.stderr, '--weak: no row has an outcome of "tiny"; the file has small, large')
      for (const { code, stdout } of [many, few, same, alone, none]) assert.deepStrictEqual([code, stdout], [1, ""])
    })
  )

  it.live("says which file is missing, and what is wrong with a model", () =>
    Effect.gen(function* () {
      const missing = yield* invoke(["router", "eval", "nowhere.jsonl"], {})
      assert.strictEqual(missing.code, 1)
      assert.match(missing.stderr, /^nowhere\.jsonl: no such file; /)
      const model = join(yield* folder, "model.json")
      writeFileSync(model, "[]")
      const foreign = yield* withFile(good, "--model", model)
      assert.strictEqual(foreign.code, 1)
      assert.match(foreign.stderr, /model\.json: the file holds \[\]; a model file is an object/)
      assert.match((yield* withFile(good, "--model", "gone.json")).stderr, /^gone\.json: no such file; .*router train/)
      assert.match((yield* withFile(good, "--model", yield* folder)).stderr, /is a folder; give a model file/)
      assert.strictEqual((yield* invoke(["router", "eval"], {})).code, 2)
    })
  )
})
