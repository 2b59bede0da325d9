/** Signing in from a terminal at a gateway in this process. */
import { chmodSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stdio } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { addPerson, peopleYaml, sessionOf } from "../../../gateway/test/support/People.ts"
import { call } from "../../../gateway/test/support/RawHttp.ts"
import { startGateway } from "../../../gateway/test/support/RunningGateway.ts"
import { Environment } from "../../src/Environment.ts"
import { exitCodeOf } from "../../src/Failure.ts"
import { program } from "../../src/Program.ts"
import { root } from "../../src/Root.ts"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

/** The command waits for a real socket: the clock stands meanwhile. */
const until = Effect.fnUntraced(function* (isSo: Effect.Effect<boolean>) {
  while (!(yield* isSo)) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
})

const startWorld = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: peopleYaml })
  yield* addPerson(gateway, "ada", { teams: { red: "admin" } })
  const home = yield* folder
  const env = { HOME: home, GATEWAY_URL: gateway.url }
  const file = join(home, ".config", "model-gateway", "sign-ins.json")
  /** `decide` gets the code that the command prints. */
  const login = (decision: "approve" | "deny") =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Effect.exit(program(root, "0.0.0-test")))
      const printed = Effect.map(TestConsole.logLines, (lines) => lines.join("\n"))
      yield* until(Effect.map(TestConsole.errorLines, (lines) => lines.length > 0))
      const code = /type the code (\S+)\./.exec(yield* printed)?.[1] ?? ""
      const { headers } = yield* sessionOf(gateway, "ada")
      yield* call(gateway.url, { method: "POST", path: `/admin/device/${code}/${decision}`, headers })
      yield* TestClock.adjust("5 seconds")
      yield* until(Effect.sync(() => running.pollUnsafe() !== undefined))
      const exit = yield* Fiber.join(running)
      return { code: exitCodeOf(exit), out: yield* printed, err: (yield* TestConsole.errorLines).join("\n") }
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          Stdio.layerTest({ args: Effect.succeed(["login"]) }),
          Layer.succeed(Environment, env),
          Layer.fresh(TestConsole.layer)
        )
      )
    )
  return { gateway, env, file, login }
})

describe("model-gateway login", () => {
  it.effect("signs in as the person who approves, keeps tokens for this user alone, and refreshes them", () =>
    Effect.gen(function* () {
      const { env, file, login } = yield* startWorld
      const { code, out } = yield* login("approve")
      assert.strictEqual(code, 0)
      assert.include(out, "http://127.0.0.1:4100/ui/device")
      assert.include(out, "as ada@example.com")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include((yield* invoke(["whoami"], env)).stdout, "Person ada <ada@example.com>")
      const before = readFileSync(file, "utf8")
      yield* TestClock.adjust("3570 seconds")
      assert.include((yield* invoke(["whoami"], env)).stdout, "team red: admin")
      assert.notStrictEqual(readFileSync(file, "utf8"), before)
      // The master key of the environment goes first, and a file that others can read is refused.
      const both = { ...env, GATEWAY_MASTER_KEY: "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E" }
      assert.include((yield* invoke(["whoami"], both)).stderr, "GATEWAY_MASTER_KEY")
      chmodSync(file, 0o644)
      assert.include((yield* invoke(["whoami"], env)).stderr, "run chmod 600")
      chmodSync(file, 0o600)
      assert.include((yield* invoke(["logout"], env)).stdout, "You are signed out")
      assert.include((yield* invoke(["whoami"], env)).stderr, "model-gateway login")
      assert.include((yield* invoke(["logout"], env)).stdout, "You were not signed in")
    })
  )

  it.effect("says who refused, and when a sign-in is over", () =>
    Effect.gen(function* () {
      const { env, gateway, login } = yield* startWorld
      const denied = yield* login("deny")
      assert.strictEqual(denied.code, 1)
      assert.include(denied.err, "not signed in: The person refused the sign-in.")
      yield* login("approve")
      yield* gateway.admin("POST", "/admin/users/user_ada/sign-out")
      const refused = yield* invoke(["whoami"], env)
      assert.include(refused.stderr, "was taken from the sign-in of `model-gateway login`")
      yield* TestClock.adjust("1 hour")
      assert.include((yield* invoke(["whoami"], env)).stderr, "is over: run `model-gateway login`")
    })
  )

  it.effect("says that a gateway without identity provider signs nobody in", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      const { code, stderr } = yield* invoke(["login", "--url", url], { HOME: yield* folder })
      assert.strictEqual(code, 1)
      assert.include(stderr, "configure one under identity in gateway.yaml")
    })
  )
})
