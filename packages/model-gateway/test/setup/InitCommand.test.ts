import { assert, describe, it } from "@effect/vitest"
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { folder, run } from "../Support.ts"

const keyIn = (text: string): string => /^master_key: "([^"]+)"$/m.exec(text)?.[1] ?? ""

describe("init", () => {
  it.effect("writes a file that check accepts, for its owner only", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const made = yield* run(["init"], { cwd })
      assert.strictEqual(made.code, 0, made.stderr)
      assert.include(made.stdout, "model-gateway serve")

      const file = join(cwd, "gateway.yaml")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const checked = yield* run(["check"], { cwd })
      assert.strictEqual(checked.code, 0, checked.stderr)
      assert.include(checked.stdout, "demo/mini")
    })
  )

  it.effect("makes another master key of 264 bits each time and shows it nowhere", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const first = yield* run(["init"], { cwd })
      const second = yield* run(["init", "--config", "other.yml"], { cwd })
      const keys = ["gateway.yaml", "other.yml"].map((name) => keyIn(readFileSync(join(cwd, name), "utf8")))
      for (const key of keys) assert.match(key, /^[\w-]{44}$/)
      assert.notStrictEqual(keys[0], keys[1])
      for (const said of [first.stdout, first.stderr, second.stdout, second.stderr]) {
        for (const key of keys) assert.notInclude(said, key)
      }
      assert.include(second.stdout, "check --config other.yml")
    })
  )

  it.effect("uses the vendor keys it finds, without writing them down", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const env = { ANTHROPIC_API_KEY: "sk-ant-of-the-environment" }
      assert.strictEqual((yield* run(["init"], { cwd, env })).code, 0)
      const text = readFileSync(join(cwd, "gateway.yaml"), "utf8")
      assert.include(text, "${ANTHROPIC_API_KEY}")
      assert.notInclude(text, "sk-ant-of-the-environment")
    })
  )

  it.effect("never overwrites", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, "gateway.yaml"), "mine")
      const ran = yield* run(["init"], { cwd })
      assert.strictEqual(ran.code, 1)
      assert.match(ran.stderr, /^gateway\.yaml is there already and stays as it is; .*\n$/)
      assert.strictEqual(readFileSync(join(cwd, "gateway.yaml"), "utf8"), "mine")
    })
  )

  it.effect("says in a sentence why it can't write", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const nowhere = yield* run(["init", "--config", "no/such/folder/gateway.yaml"], { cwd })
      assert.strictEqual(nowhere.code, 1)
      assert.match(nowhere.stderr, /^no\/such\/folder\/gateway\.yaml can't be written: its folder does not exist.*\n$/)

      // Root may write anywhere, so there is nothing to see.
      if (process.getuid?.() === 0) return
      mkdirSync(join(cwd, "closed"))
      chmodSync(join(cwd, "closed"), 0o500)
      const closed = yield* run(["init", "--config", "closed/gateway.yaml"], { cwd })
      assert.strictEqual(closed.code, 1)
      assert.match(closed.stderr, /no permission/)
    })
  )
})
