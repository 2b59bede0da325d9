/** The model of `router.model`: loaded at the start, replaced when its file changes, kept when the file is no model. */
import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Classifier } from "../../src/core/routing/Classifier.ts"
import { layer } from "../../src/classifier/PromptClassifier.ts"
import { defaultModel } from "../../src/classifier/model/Builtin.ts"
import { encodeModelFile } from "../../src/classifier/model/ModelFile.ts"
import { fleetLayer } from "../core/call/Support.ts"
import { eventually } from "../support/Patience.ts"

const PROMPT = "Write a function that sorts a list of numbers without using a library, and say why it is correct."

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-router-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The model that ships, under another name and with every weight turned around where `turned`. */
const model = (name: string, turned = false): string => {
  const { file } = defaultModel
  const features = file.linear.features.map((one) => ({ ...one, weight: turned ? -one.weight : one.weight }))
  return encodeModelFile({ ...file, card: { ...file.card, name }, linear: { ...file.linear, features } })
}

const withModel = (file: string | undefined) =>
  layer.pipe(
    Layer.provide(fleetLayer({ router: { buckets: [], cutPoints: [], preferShift: 0, model: file, shadow: false } }))
  )

const until = (holds: (classifier: Classifier["Service"]) => boolean) =>
  Effect.flatMap(Classifier, (classifier) => eventually(Effect.succeed(classifier), holds))

describe("the classifier", () => {
  it.effect("scores by the model that ships, unless a file is named", () =>
    Effect.gen(function* () {
      const classifier = yield* Classifier
      assert.isUndefined(classifier.model().file)
      assert.strictEqual(classifier.model().name, defaultModel.file.card.name)
      const { contributions, score } = classifier.explain(PROMPT)
      assert.strictEqual(score, classifier.explain(PROMPT).score)
      assert.isAbove(contributions.length, 10)
    }).pipe(Effect.provide(withModel(undefined)))
  )

  it.effect("does not start with a file that is missing, foreign or broken, and says which and why", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const cases: ReadonlyArray<readonly [string, string | undefined, RegExp]> = [
        ["missing.json", undefined, /missing\.json: no such file/],
        ["foreign.json", '{"models": []}', /foreign\.json: `format` is missing/],
        ["broken.json", model("cut").slice(0, 900), /broken\.json: the file is no JSON/],
        ["long.json", " ".repeat(5_000_000), /long\.json: it has 5000000 bytes/]
      ]
      for (const [name, text, why] of cases) {
        const file = join(path, name)
        if (text !== undefined) writeFileSync(file, text)
        const error = yield* Effect.flip(Effect.scoped(Layer.build(withModel(file))))
        assert.match(error.message, /^router\.model \//)
        assert.match(error.message, why)
      }
    })
  )

  it.live("takes another model when the file is written or replaced, and keeps its own when that is none", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "my-router.json")
      writeFileSync(file, model("first"))
      const said: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void said.push(String(message)))
      yield* Effect.gen(function* () {
        const classifier = yield* Classifier
        assert.deepInclude(classifier.model(), { name: "first", file, refused: undefined })
        const before = classifier.explain(PROMPT).score

        // As `router train` replaces it: a rename.
        writeFileSync(`${file}.new`, model("second", true))
        renameSync(`${file}.new`, file)
        yield* until((one) => one.model().name === "second")
        const after = classifier.explain(PROMPT).score
        assert.notStrictEqual(after, before)
        yield* until(() => said.length > 0)
        assert.include(said[0], `loaded the router model "second" of ${defaultModel.file.card.date}`)
        assert.include(said[0], file)

        writeFileSync(file, '{"format": "something else"}')
        yield* until((one) => one.model().refused !== undefined)
        assert.strictEqual(classifier.model().name, "second")
        assert.match(classifier.model().refused?.message ?? "", /my-router\.json: `format` is "something else"/)
        assert.strictEqual(classifier.explain(PROMPT).score, after)

        unlinkSync(file)
        yield* until((one) => /no such file/.test(one.model().refused?.message ?? ""))
        writeFileSync(file, model("third"))
        yield* until((one) => one.model().name === "third" && one.model().refused === undefined)
        assert.strictEqual(classifier.explain(PROMPT).score, before)
      }).pipe(Effect.provide(Layer.provideMerge(withModel(file), Logger.layer([logger]))))
    })
  )
})
