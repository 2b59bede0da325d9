import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Result } from "effect"
import { classify } from "../../gateway/src/classifier/PromptScore.ts"
import { extract, featureNames, featureSet } from "../../gateway/src/classifier/features/PromptFeatures.ts"
import { prepare } from "../../gateway/src/classifier/model/Model.ts"
import { decodeModelFile } from "../../gateway/src/classifier/model/ModelFile.ts"
import { invoke } from "./Invoke.ts"
import { folder, run } from "./Support.ts"

const nouns = ["tide", "engine", "harvest", "bridge", "market", "river", "lantern", "glacier", "orchard", "signal"]

/** The strong side is needed for what is about gaskets, and for nothing else. */
const row = (index: number) => {
  const isHard = index % 3 === 0
  const noun = nouns[index % nouns.length]!
  return {
    prompt: `${isHard ? "Which gasket seals" : "What colour, and which other one, has"} the ${noun} number ${index} of the old harbour?`,
    outcomes: {
      small: { quality: isHard ? 0 : 1, cost_usd: 0.0001 },
      large: { quality: 1, cost_usd: 0.004 }
    }
  }
}
const HARD = "Which gasket seals the tide number 700 of the old harbour?"
const EASY = "What colour, and which other one, has the tide number 700 of the old harbour?"
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))
const lines = (values: ReadonlyArray<unknown>) => values.map((value) => `${JSON.stringify(value)}\n`).join("")

/** Learns from `content` in a folder of its own, without a process of its own. */
const trained = Effect.fnUntraced(function* (content: string, ...flags: ReadonlyArray<string>) {
  const cwd = yield* folder
  const file = join(cwd, "outcomes.jsonl")
  writeFileSync(file, content)
  const ran = yield* invoke(["router", "train", file, "--out", join(cwd, "my-router.json"), ...flags], {})
  return { ...ran, cwd, files: readdirSync(cwd).toSorted() }
})

const modelIn = (cwd: string, name = "my-router.json") =>
  prepare(Result.getOrThrow(decodeModelFile(readFileSync(join(cwd, name), "utf8"))))

describe("router train", () => {
  it.live("learns what needs the strong side, says how much better it is, writes a model in one step", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, "outcomes.jsonl"), lines(rows(300)))
      const { code, stderr, stdout } = yield* run(["router", "train", "outcomes.jsonl"], { cwd })
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(readdirSync(cwd).toSorted(), ["my-router.json", "outcomes.jsonl"])
      assert.match(stdout, /small +weak +300/)
      assert.match(stdout, /large +strong +300/)
      assert.include(stdout, "The learnt model ranks better than the one that ships")
      assert.match(stdout, /^APGR .*^CPT50 .*^CPT80 .*^cost at 95 %/ms)
      const model = modelIn(cwd)
      const score = (prompt: string) => classify(prompt, model).score
      const hard = score(HARD)
      const easy = score(EASY)
      // The model that ships has it the other way round: it can't know what a gasket means here.
      assert.isBelow(classify(HARD).score, classify(EASY).score)
      assert.isAbove(hard, easy)
    })
  )

  it.live("the same rows and seed give the same model, another seed another", () =>
    Effect.gen(function* () {
      const written = Effect.fnUntraced(function* (seed: string) {
        const { code, cwd, stderr } = yield* trained(lines(rows(120)), "--seed", seed)
        assert.strictEqual(code, 0, stderr)
        return readFileSync(join(cwd, "my-router.json"), "utf8")
      })
      const five = yield* written("5")
      assert.strictEqual(yield* written("5"), five)
      assert.notStrictEqual(yield* written("6"), five)
    })
  )

  it.live("names every broken row with its field, and what would be right; writes nothing", () =>
    Effect.gen(function* () {
      const broken = [
        row(1),
        { ...row(2), prompt: 7 },
        { prompt: "x", outcomes: { small: { quality: 3 } } },
        { features: [1, 2], feature_set: featureSet, outcomes: row(1).outcomes },
        { features: [], feature_set: "other", outcomes: row(1).outcomes }
      ]
      const { code, files, stderr, stdout } = yield* trained(
        `${lines(broken)}{"prompt": "half\n${lines(Array.from({ length: 30 }, () => ({ prompt: "x" })))}`
      )
      assert.deepStrictEqual([code, stdout, files], [1, "", ["outcomes.jsonl"]])
      assert.include(stderr, "nothing was written: 35 problems.")
      assert.include(stderr, "line 2, prompt: must be the text of the prompt, not 7")
      assert.include(stderr, "line 3, outcomes.small.quality: must be a number from 0 to 1, not 3")
      assert.include(stderr, `line 4, features: must be a list of ${featureNames.length} numbers`)
      assert.include(stderr, "line 5, feature_set: must be")
      assert.include(stderr, "line 6: is not JSON")
      assert.include(stderr, "and 15 more")
      assert.lengthOf(stderr.trimEnd().split("\n"), 22)
    })
  )

  it.live("refuses what can't teach anything, with the reason and the counts", () =>
    Effect.gen(function* () {
      const few = yield* trained(lines(rows(49)))
      assert.deepStrictEqual([few.code, few.files], [1, ["outcomes.jsonl"]])
      assert.include(few.stderr, "49 usable rows are too few")
      const one = yield* trained(lines(rows(80).map(({ prompt }) => ({ prompt, outcomes: { small: { quality: 1 } } }))))
      assert.strictEqual(one.code, 1)
      assert.include(one.stderr, "nothing to choose between")
      const lopsided = yield* trained(
        lines(
          rows(80).map(({ outcomes, prompt }, i) => ({
            prompt,
            outcomes: i < 70 ? { small: outcomes.small } : outcomes
          }))
        )
      )
      assert.strictEqual(lopsided.code, 1)
      assert.include(lopsided.stderr, "the weak side is known of 80 prompts and the strong side of 10")
      const same = yield* trained(lines(Array.from({ length: 80 }, () => row(3))))
      assert.strictEqual(same.code, 1)
      assert.include(same.stderr, "1 usable row is too few")
      const ungraded = rows(80).map(({ prompt }) => ({ prompt, outcomes: { small: { quality: null } } }))
      const none = yield* trained(lines(ungraded))
      assert.strictEqual(none.code, 1)
      assert.include(none.stderr, "0 usable rows")
      const reversed = yield* trained(lines(rows(80)), "--weak", "large", "--strong", "small")
      assert.strictEqual(reversed.code, 1)
      assert.include(reversed.stderr, "no better than the weak side's")
      assert.include(reversed.stderr, "--weak and --strong")
    })
  )

  it.live(
    "learns from rows as router export writes them: one answer each, features for a prompt, some without either",
    () =>
      Effect.gen(function* () {
        const exported = rows(240).map(({ outcomes, prompt }, index) => ({
          ...(index % 4 === 0 ? { feature_set: featureSet, features: Array.from(extract(prompt)) } : { prompt }),
          outcomes: index % 2 === 0 ? { small: outcomes.small } : { large: { ...outcomes.large, cost_usd: null } },
          receipt_id: `rcpt_${index}`,
          feedback: 1
        }))
        const useless = [
          { receipt_id: "rcpt_a", prompt: "x", outcomes: {} },
          { receipt_id: "rcpt_b", prompt: "x", outcomes: { small: { quality: null, cost_usd: 0.1 } } },
          { receipt_id: "rcpt_c", outcomes: { small: { quality: 1 } } }
        ]
        const { code, cwd, stderr, stdout } = yield* trained(
          lines([...exported, ...useless]),
          "--weak",
          "small",
          "--strong",
          "large"
        )
        assert.strictEqual(code, 0, stderr)
        // Prompts that look the same to the router are one.
        const vectors = new Set(exported.flatMap((one) => ("features" in one ? [JSON.stringify(one.features)] : [])))
          .size
        const prompts = 180 + vectors
        assert.include(
          stdout,
          `243 rows, 240 of them with a prompt and a grade: ${prompts} prompts to learn from; of 0 both sides`
        )
        assert.include(stdout, `of ${vectors} the features are known and no text`)
        assert.include(stdout, "these figures are estimates")
        assert.strictEqual(modelIn(cwd).file.tuned?.rows, prompts)
      })
  )

  it.live(
    "leaves out features that another release counted, says how many and what to do, and goes by the prompt where there is one",
    () =>
      Effect.gen(function* () {
        const old = { feature_set: "text-1-0123abcd", features: [1, 2, 3] }
        const without = rows(100).map(({ outcomes }) => ({ ...old, outcomes }))
        const both = rows(120).map((one) => ({ ...old, ...one }))
        const { code, cwd, stderr, stdout } = yield* trained(lines([...without, ...both]))
        assert.strictEqual(code, 0, stderr)
        assert.include(stderr, "100 of 220 rows have no prompt, and features that another release counted")
        assert.include(stderr, `("text-1-0123abcd", this one: "${featureSet}"): left out`)
        assert.include(stderr, "keep_prompts: text")
        assert.include(stdout, "220 rows, 120 of them with a prompt and a grade: 120 prompts to learn from")
        const plain = yield* trained(lines(rows(120)))
        const weights = (folder: string) => modelIn(folder).file.tuned
        assert.deepStrictEqual(weights(cwd), weights(plain.cwd))
        const none = yield* trained(lines(without))
        assert.deepStrictEqual([none.code, none.files], [1, ["outcomes.jsonl"]])
        assert.include(none.stderr, "100 of 100 rows have no prompt")
        assert.include(none.stderr, "0 usable rows")
      })
  )

  it.live("says before the work where the model can't go, and what NaN should be", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const file = join(cwd, "outcomes.jsonl")
      writeFileSync(file, lines(rows(60)))
      const nowhere = yield* invoke(["router", "train", file, "--out", join(cwd, "gone", "my-router.json")], {})
      assert.deepStrictEqual([nowhere.code, nowhere.stdout], [1, ""])
      assert.include(nowhere.stderr, "its folder does not exist")
      const python = yield* trained('{"prompt": "x", "outcomes": {"small": {"quality": NaN}}}\n')
      assert.include(python.stderr, "line 1: is not JSON, which has no NaN or Infinity; write null")
    })
  )

  it.live("files that are none: missing, empty, a folder, packed, binary, one endless line", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      mkdirSync(join(cwd, "folder"))
      writeFileSync(join(cwd, "empty"), "\n \n")
      writeFileSync(join(cwd, "packed"), gzipSync("{}"))
      writeFileSync(join(cwd, "binary"), Buffer.from([1, 2, 0, 3]))
      writeFileSync(join(cwd, "endless"), " ".repeat(17 * 1024 * 1024))
      writeFileSync(join(cwd, "huge"), "x")
      truncateSync(join(cwd, "huge"), 2 * 1024 ** 3)
      for (const [name, message] of [
        ["missing", "missing: no such file"],
        ["folder", "folder is a folder"],
        ["empty", "empty has no rows"],
        ["packed", "packed: is packed with gzip"],
        ["binary", "binary: line 1 holds binary data"],
        ["endless", "endless: line 1 is longer than 16 MB"],
        ["huge", "huge: line 1 holds binary data"]
      ] as const) {
        const ran = yield* invoke(["router", "train", join(cwd, name), "--out", join(cwd, "out.json")], {})
        assert.deepStrictEqual([ran.code, ran.stdout], [1, ""], name)
        assert.include(ran.stderr, message)
        assert.lengthOf(ran.stderr.trimEnd().split("\n"), 1)
      }
    })
  )

  it.live("replaces a model and nothing else", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, "outcomes.jsonl"), lines(rows(90)))
      writeFileSync(join(cwd, "notes.json"), '{"mine": true}')
      const train = (out: string) =>
        invoke(["router", "train", join(cwd, "outcomes.jsonl"), "--out", join(cwd, out)], {})
      const other = yield* train("notes.json")
      assert.strictEqual(other.code, 1)
      assert.include(other.stderr, "notes.json is there already and is no router model")
      assert.strictEqual(readFileSync(join(cwd, "notes.json"), "utf8"), '{"mine": true}')
      writeFileSync(join(cwd, "old.json"), '{"format": "model-gateway-router", "version": 0}')
      const old = yield* train("old.json")
      assert.strictEqual(old.code, 0, old.stderr)
      assert.isNotNull(modelIn(cwd, "old.json").tuned)
      const nowhere = yield* train("no/where.json")
      assert.strictEqual(nowhere.code, 1)
      assert.include(nowhere.stderr, "its folder does not exist")
      const own = yield* train("outcomes.jsonl")
      assert.include(own.stderr, "outcomes.jsonl is there already")
      assert.deepStrictEqual(readdirSync(cwd).toSorted(), ["notes.json", "old.json", "outcomes.jsonl"])
    })
  )

  it.live("flags that don't fit the file are wrong usage", () =>
    Effect.gen(function* () {
      for (const [flags, message] of [
        [["--weak", "tiny"], 'no row has an outcome of "tiny"; the file has small, large'],
        [["--weak", "small", "--strong", "small"], "it can be only one"],
        [["--seed", "x"], "seed"]
      ] as const) {
        const { code, files, stderr } = yield* trained(lines(rows(60)), ...flags)
        assert.deepStrictEqual([code, files], [2, ["outcomes.jsonl"]])
        assert.include(stderr, message)
      }
    })
  )
})
