import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../gateway/src/core/domain/Errors.ts"
import * as GatewayLogger from "../../src/telemetry/logs/GatewayLogger.ts"
import { Logged, logged } from "./Logged.ts"

const masterKey = "p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl"
const virtualKey = "mgw_0123456789ab_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG012345"

const withLogger = (format: "text" | "json") =>
  GatewayLogger.layer({ format, secrets: () => [Redacted.make(masterKey)] }).pipe(
    Layer.provideMerge(Layer.fresh(logged))
  )

/** What comes out when `effect` logs. */
const linesOf = (effect: Effect.Effect<unknown>, format: "text" | "json" = "json") =>
  Effect.gen(function* () {
    yield* effect
    yield* TestClock.adjust("50 millis")
    return (yield* Logged).lines()
  }).pipe(Effect.provide(withLogger(format)))

const oneOf = (effect: Effect.Effect<unknown>) =>
  Effect.map(linesOf(effect), (lines) => JSON.parse(lines[0]!) as Record<string, unknown>)

describe("GatewayLogger", () => {
  it.effect("a line says when, how grave, what, and the fields that are allowed", () =>
    Effect.gen(function* () {
      const logs = Effect.annotateLogs(Effect.logWarning("something happened"), {
        request_id: "req_0123456789abcdefghijklmn",
        deployment: "openai/gpt-5",
        retries: 2
      })
      assert.deepStrictEqual(yield* oneOf(logs), {
        timestamp: "1970-01-01T00:00:00.000Z",
        level: "WARN",
        message: "something happened",
        request_id: "req_0123456789abcdefghijklmn",
        deployment: "openai/gpt-5",
        retries: 2
      })
      assert.deepStrictEqual(yield* linesOf(logs, "text"), [
        'timestamp=1970-01-01T00:00:00.050Z level=WARN message="something happened" request_id=req_0123456789abcdefghijklmn deployment=openai/gpt-5 retries=2'
      ])
    })
  )

  it.effect("fields nobody allowed are left out, and so are values that do not fit their field", () =>
    Effect.gen(function* () {
      const line = yield* oneOf(
        Effect.annotateLogs(Effect.logInfo("hello"), {
          prompt: "my prompt",
          authorization: "Bearer abcdefgh",
          request_id: "whatever the caller sent",
          team: "red\nlevel=ERROR",
          retries: "many",
          __proto__: "x"
        })
      )
      assert.deepStrictEqual(Object.keys(line), ["timestamp", "level", "message"])
    })
  )

  it.effect("an error shows its name and where it came from, not the words that may quote a prompt", () =>
    Effect.gen(function* () {
      const error = new TypeError("Unexpected token 'my', \"my prompt\" is not valid JSON")
      for (const logs of [
        Effect.logError("request failed", error),
        Effect.die(error).pipe(Effect.catchCause(logCause))
      ]) {
        const line = yield* oneOf(logs)
        assert.strictEqual(line["message"], "request failed")
        assert.strictEqual(line["error"], "TypeError")
        assert.match(String(line["stack"]), /^at .*GatewayLogger\.test\.ts/)
        assert.notInclude(JSON.stringify(line), "my prompt")
      }
    })
  )

  it.effect("the store's trouble is told in its own words: they are ours", () =>
    Effect.gen(function* () {
      const line = yield* oneOf(
        Effect.fail(new StoreUnavailable({ message: "The store is not available: the disk is full." })).pipe(
          Effect.catchCause(logCause)
        )
      )
      assert.strictEqual(line["reason"], "The store is not available: the disk is full.")
    })
  )

  it.effect("what the system refused is told by the system's word for it", () =>
    Effect.gen(function* () {
      const full = Object.assign(new Error("ENOSPC: no space left, write 'my file'"), { code: "ENOSPC" })
      const odd = Object.assign(new Error("odd"), { code: "my prompt" })
      const [refused, other] = [
        yield* oneOf(Effect.die(full).pipe(Effect.catchCause(logCause))),
        yield* oneOf(Effect.die(odd).pipe(Effect.catchCause(logCause)))
      ]
      assert.deepInclude(refused, { error: "Error", reason: "ENOSPC" })
      assert.notInclude(JSON.stringify(refused), "my file")
      assert.notProperty(other, "reason")
    })
  )

  it.effect("strikes out keys of ours and of vendors, and the secrets of the configuration, wherever they stand", () =>
    Effect.gen(function* () {
      for (const secret of [masterKey, virtualKey, "sk-proj-abc123_DEF", "sk-ant-api03-xyz", "AIzaSyA1234567890"]) {
        for (const format of ["text", "json"] as const) {
          const logs = Effect.annotateLogs(Effect.logInfo(`got ${secret} and Bearer ${secret}`), {
            team: secret,
            deployment: `a/${secret}`
          })
          const [line] = yield* linesOf(logs, format)
          assert.notInclude(line!, secret)
          assert.include(line!, "[redacted]")
        }
      }
    })
  )

  it.effect("a line is one line, whatever is in it", () =>
    Effect.gen(function* () {
      for (const format of ["text", "json"] as const) {
        assert.lengthOf(yield* linesOf(Effect.logError("two\nlines\r\nhere", new Error("x")), format), 1)
      }
    })
  )
})

const logCause = (cause: unknown) => Effect.logError("request failed", cause)
