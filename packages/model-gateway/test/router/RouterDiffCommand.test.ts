import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

const rows = (prompts: ReadonlyArray<object>) => prompts.map((row) => JSON.stringify(row)).join("\n")
const exported = rows([
  { prompt: "Hi there", outcomes: { small: { quality: null, cost_usd: 0.1 } }, receipt_id: "rcpt_1" },
  { prompt: "Design a URL\u001b[31m shortener.", outcomes: {} },
  { prompt: "Prove that the square root of 7 is irrational." },
  { features: [1, 2], feature_set: "text-4-bf5a6671", receipt_id: "rcpt_2", outcomes: {} }
])

const diffOf = (text: string, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = join(yield* folder, "prompts.jsonl")
    writeFileSync(file, text)
    const ran = yield* invoke(["router", "diff", file, ...flags], {})
    return { ...ran, stderr: ran.stderr.replaceAll(file, "FILE"), stdout: ran.stdout.replaceAll(file, "FILE") }
  })

describe("router diff", () => {
  it.live("shows which prompts change their bucket and where to, graded or not", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* diffOf(exported)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /Prompts +3 of FILE; 1 more without their text\n/)
      assert.match(stdout, /Models +builtin@1 → builtin@2\n/)
      assert.match(stdout, /Other bucket +33\.3 %: 33\.3 % up, 0 % down\n/)
      assert.match(stdout, /BEFORE +→ simple +→ standard +→ complex +→ reasoning\n/)
      assert.match(stdout, /MOVES FARTHEST[^]*Design a URL�\[31m shortener\. +0\.\d\d +0\.\d\d/)

      const json = JSON.parse((yield* diffOf(exported, "--json")).stdout)
      assert.deepInclude(json, { from: "builtin@1", to: "builtin@2", prompts: 3, without_text: 1, down: 0 })
      assert.deepStrictEqual(json.counts[3], [0, 0, 0, 1])
      assert.deepStrictEqual([json.counts[0][0], json.farthest.length], [1, 1])
      assert.isBelow(json.farthest[0].before, json.farthest[0].after)
    })
  )

  it.live("moves nothing between a model and itself, and takes other cut points", () =>
    Effect.gen(function* () {
      const same = JSON.parse((yield* diffOf(exported, "--to", "builtin@1", "--cut-points", "0.5", "--json")).stdout)
      assert.deepInclude(same, { other_bucket: 0, cut_points: [0.5] })
      assert.strictEqual(same.counts.length, 2)
    })
  )

  it.live("says what is wrong with a file, a model and cut points", () =>
    Effect.gen(function* () {
      const refused = (text: string, ...flags: ReadonlyArray<string>) =>
        Effect.map(diffOf(text, ...flags), ({ code, stderr }) => `${code} ${stderr}`)
      assert.match(yield* refused(`${exported}\n{"text": "x"}`), /^1 .*FILE, line 5: each line must be one JSON object/)
      assert.match(yield* refused(exported.split("\n")[3]!), /^1 .*FILE has features and no text/)
      assert.match(yield* refused(""), /^1 .*FILE has no rows/)
      assert.match(
        yield* refused(exported, "--from", "builtin@9"),
        /^1 .*no model "builtin@9" ships.*builtin@1, builtin@2/
      )
      assert.match(yield* refused(exported, "--to", "nowhere.json"), /^1 .*nowhere\.json: no such file/)
      for (const points of ["0.5,0.4", "x", "", "0.2,1"])
        assert.match(yield* refused(exported, "--cut-points", points), /^2 .*--cut-points takes ascending numbers/)
    })
  )
})
