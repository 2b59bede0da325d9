/** An admin command against a stub gateway. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { adminStub, type Answers } from "../AdminStub.ts"
import { invoke } from "../Invoke.ts"

export const MASTER_KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

/** Runs a command against a gateway with these answers: what came out, and what the gateway was asked. */
export const against = Effect.fnUntraced(function* (answers: Answers, args: ReadonlyArray<string>) {
  const stub = yield* adminStub(answers)
  const ran = yield* invoke(args, { GATEWAY_URL: stub.url, GATEWAY_MASTER_KEY: MASTER_KEY })
  assert.notInclude(ran.stdout + ran.stderr, MASTER_KEY)
  for (const line of ran.stdout.split("\n")) {
    if (!args.includes("--json")) assert.isAtMost(line.length, 100, line)
  }
  return { ...ran, asked: stub.asked, bodies: stub.asked.map((asked) => asked.body) }
})

/** Wrong usage, seen before anything was asked. */
export const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, expected: RegExp) {
  const { asked, code, stderr, stdout } = yield* against({}, args)
  assert.strictEqual(code, 2, stderr)
  assert.match(stderr, expected)
  assert.strictEqual(stdout, "")
  assert.strictEqual(asked.length, 0)
})
