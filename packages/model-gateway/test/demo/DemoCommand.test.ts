import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, run } from "../Support.ts"

describe("demo", () => {
  it.effect("says when clients built on fetch refuse to call its port", () =>
    Effect.gen(function* () {
      // Of another protocol, so that nothing else listens there.
      const ran = yield* run(["demo", "--port", "4190"], { cwd: yield* folder })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(ran.stdout, "")
      assert.match(ran.stderr, /refuse to call this port .*: choose another one with --port\n$/)
    })
  )
})
