/** What is kept of prompts, by choice: asked through the real port, read from the store on the disk. */
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { extract, featureSet } from "../../src/classifier/features/PromptFeatures.ts"
import { classify } from "../../src/classifier/PromptScore.ts"
import { until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { demoYaml, startGateway, temporaryStore } from "../support/RunningGateway.ts"

const withRouter = (fields: string) => demoYaml.replace("router:\n", `router:\n  ${fields}\n`)

/** Asks `auto` these, and another model one thing more; what the store has of it when the gateway is gone. */
const kept = (fields: string, prompts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* temporaryStore
    const run = Effect.gen(function* () {
      const gateway = yield* startGateway({ store, yaml: withRouter(fields) })
      const { secret } = yield* gateway.createKey()
      const ask = (model: string, content: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: {
            model,
            messages: [
              { role: "system", content: "A secret" },
              { role: "user", content }
            ]
          }
        })
      for (const prompt of prompts) assert.strictEqual((yield* ask("auto", prompt)).status, 200)
      assert.strictEqual((yield* ask("demo/mini", "Named")).status, 200)
    })
    yield* Effect.scoped(run)
    return read(store)
  })

const read = (store: string) => {
  const db = new DatabaseSync(store, { readOnly: true })
  const rows = db.prepare("SELECT feature_set, body FROM kept_prompts ORDER BY request_id").all()
  const inReceipts = db.prepare("SELECT body FROM receipts").all()
  db.close()
  return {
    prompts: rows.map((row) => [row["feature_set"], JSON.parse(String(row["body"]))]),
    receipts: inReceipts.map((row) => String(row["body"])).join()
  }
}

describe("what is kept of prompts", () => {
  it.live("is nothing unless it was asked for", () =>
    Effect.gen(function* () {
      for (const fields of ["", "keep_prompts: off"]) {
        assert.deepStrictEqual((yield* kept(fields, ["Tell me about giraffes"])).prompts, [])
      }
    })
  )

  it.live("is the text that was classified, to the character, and nothing of requests that named their model", () =>
    Effect.gen(function* () {
      const odd = "NUL \u0000, half a pair \ud800, “quotes”\n\tשלום 🦒"
      const { prompts, receipts } = yield* kept("keep_prompts: text", ["Tell me about giraffes", odd])
      assert.deepStrictEqual(prompts, [
        [null, "Tell me about giraffes"],
        [null, odd]
      ])
      assert.notInclude(receipts, "giraffes")
    })
  )

  it.live(
    "is nothing of a prompt without a word, and nothing of a short follow-up, which is scored by what it follows",
    () =>
      Effect.gen(function* () {
        const store = yield* temporaryStore
        const ask = Effect.gen(function* () {
          const { createKey, url } = yield* startGateway({ store, yaml: withRouter("keep_prompts: text") })
          const { secret: key } = yield* createKey()
          const turns = ["Prove, step by step, that the square root of 2 is irrational.", "Let p/q be …", "Go on"]
          const talk = turns.map((content, turn) => ({ role: turn === 1 ? "assistant" : "user", content }))
          for (const messages of [talk, [{ role: "user", content: " \n" }], talk.slice(0, 1)]) {
            const body = { model: "auto", messages }
            assert.strictEqual((yield* call(url, { path: "/v1/chat/completions", key, body })).status, 200)
          }
        })
        yield* Effect.scoped(ask)
        assert.deepStrictEqual(read(store).prompts, [
          [null, "Prove, step by step, that the square root of 2 is irrational."]
        ])
      })
  )

  it.live("is there of what was only watched too, where the caller named the model", () =>
    Effect.gen(function* () {
      const { prompts } = yield* kept("keep_prompts: text\n  shadow: true", ["Tell me about giraffes"])
      assert.deepStrictEqual(prompts, [
        [null, "Tell me about giraffes"],
        [null, "Named"]
      ])
    })
  )

  it.live("of a long text is as much as the classifier reads", () =>
    Effect.gen(function* () {
      const long = `${"a".repeat(4000)}${"b".repeat(100_000)}${"c".repeat(2000)}`
      const { prompts } = yield* kept("keep_prompts: text", [long])
      assert.deepStrictEqual(prompts, [[null, `${"a".repeat(4000)}\n${"c".repeat(2000)}`]])
    })
  )

  it.live("is the numbers of the features, with the name of their set, and no text", () =>
    Effect.gen(function* () {
      const prompt = "Prove that the square root of 2 is irrational, step by step."
      const { prompts } = yield* kept("keep_prompts: features", [prompt])
      const [[set, values] = []] = prompts
      assert.strictEqual(set, featureSet)
      const exact = extract(prompt)
      assert.strictEqual(values.length, exact.length)
      for (const [index, value] of exact.entries()) assert.closeTo(values[index], value, 1e-5 * Math.abs(value))
      assert.isAbove(classify(prompt).score, 0)
    })
  )

  it.effect("goes with the receipts though nobody asks any more, and its bytes with it", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      // Longer than a page of the database, so that whole pages are given back.
      const secret = "Zanzibarian giraffes, ".repeat(300)
      const bytes = () => {
        const db = new DatabaseSync(store)
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        return readFileSync(store).includes("Zanzibarian")
      }
      const run = Effect.gen(function* () {
        const yaml = `${withRouter("keep_prompts: text")}\nreceipts: { keep: 1h }\n`
        const { admin, createKey, url } = yield* startGateway({ store, yaml })
        const { secret: key } = yield* createKey()
        for (let times = 0; times < 20; times++) {
          const body = { model: "auto", messages: [{ role: "user", content: secret }] }
          assert.strictEqual((yield* call(url, { path: "/v1/chat/completions", key, body })).status, 200)
        }
        yield* admin("GET", "/admin/requests")
        assert.lengthOf(read(store).prompts, 20)
        yield* TestClock.adjust("59 minutes")
        assert.isTrue(bytes())
        yield* TestClock.adjust("3 minutes")
        yield* until(() => read(store).prompts.length === 0)
        assert.strictEqual(read(store).receipts, "")
      })
      yield* Effect.scoped(run)
      assert.isFalse(bytes())
    })
  )

  it.effect("goes with the receipts", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const gateway = yield* startGateway({
        store,
        yaml: `${withRouter("keep_prompts: text")}\nreceipts: { keep: 1h }\n`
      })
      const { secret } = yield* gateway.createKey()
      const ask = (content: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "auto", messages: [{ role: "user", content }] }
        })
      const flush = gateway.admin("GET", "/admin/requests")
      yield* ask("first")
      yield* flush
      assert.deepStrictEqual(read(store).prompts, [[null, "first"]])
      yield* TestClock.adjust("61 minutes")
      yield* ask("second")
      yield* flush
      assert.deepStrictEqual(read(store).prompts, [[null, "second"]])
    })
  )
})
