/** Some tries of what `npm run revoke -- --nodes 3` does two hundred of. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPrograms } from "../../../../../scripts/postgres/Programs.ts"
import { forTests } from "../../../../../scripts/postgres/Server.ts"
import { isSkipped } from "../../support/postgres/Databases.ts"
import { revokeRun } from "../RevokeRun.ts"

describe.skipIf(isSkipped)("a key of three gateways", () => {
  it.live("is admitted by none once DELETE has returned, also where one of them was frozen meanwhile", (context) =>
    Effect.gen(function* () {
      const programs = yield* Effect.promise(findPrograms)
      if (programs === undefined) return context.skip("needs a Postgres of its own")
      const { admitted, answering, late, problems, withFrozen } = yield* revokeRun({
        tries: 8,
        frozen: 1,
        topology: { nodes: 3, bin: programs.bin, settings: forTests, lease: "3s" }
      })
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(admitted, 0)
      assert.isAbove(late, 8 * 3)
      assert.deepStrictEqual([answering.length, withFrozen.length], [7, 1])
    })
  )
})
