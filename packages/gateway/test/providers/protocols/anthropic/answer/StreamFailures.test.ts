import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { close, delta, ends, open, run, start, text } from "./Events.ts"
import { asking, callOf, chunksOf, frames, kinds, replay, type Sent } from "../Support.ts"

describe("an error inside a stream", () => {
  const failing = (error: JsonObject) => {
    const events = run(start(), ...text(0, "Hi"), { type: "error", error }, ...text(1, "more"), ...ends("end_turn"))
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "failed"])
    const last = events.at(-1)
    return last?.kind === "failed" ? last.failure : assert.fail("no failure")
  }

  it("ends it with the class of the error", () => {
    const classes = {
      overloaded_error: ["unavailable", 529],
      api_error: ["unavailable", 500],
      timeout_error: ["unavailable", 504],
      rate_limit_error: ["rate_limited", 429],
      billing_error: ["quota_exhausted", 402],
      authentication_error: ["auth", 401],
      permission_error: ["auth", 403],
      not_found_error: ["model_not_found", 404],
      request_too_large: ["context_length", 413],
      invalid_request_error: ["bad_request", 400],
      something_new: ["unavailable", 500]
    }
    for (const [type, expected] of Object.entries(classes)) {
      const failure = failing({ type, message: "It failed" })
      assert.deepStrictEqual([failure.class, failure.status, failure.type], [...expected, type])
    }
  })

  it("without words has some", () => {
    assert.isNotEmpty(failing({}).message)
  })
})

describe("events that can't be read", () => {
  it("are malformed, and the stream goes on", () => {
    const bad = [
      "data: {\n\n",
      "data: 7\n\n",
      'data: {"x":1}\n\n',
      'data: {"type":"content_block_start","index":0}\n\n'
    ]
    const bytes = Buffer.concat([
      frames(start()),
      Buffer.from(bad.join("")),
      frames(...text(0, "Hi"), ...ends("end_turn"))
    ])
    const events = kinds(replay([bytes], callOf(asking())))
    assert.deepStrictEqual(events, [...bad.map(() => "malformed"), "lifecycle", "content", "finish", "usage", "done"])
  })

  it("are not those of a kind that is not known yet", () => {
    const strange = [
      { type: "weather_report" },
      open(7, { type: "hologram" }),
      delta(7, { type: "hologram_delta" }),
      close(7)
    ]
    assert.deepStrictEqual(kinds(run(start(), ...strange, ...ends("end_turn"))), [
      "lifecycle",
      // The block, for the next turn.
      "content",
      "finish",
      "usage",
      "done"
    ])
  })

  it("do not hide what a stream without its first event says", () => {
    const chunks = chunksOf(run(...text(0, "Hi"), ...ends("end_turn"))) as ReadonlyArray<Sent>
    assert.strictEqual(new Set(chunks.map(({ id }) => id as string)).size, 1)
    assert.strictEqual(chunks[0]?.["model"], "claude-sonnet-4-5")
  })
})
