/** Short follow-ups are as demanding as what they follow. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { before, isShort } from "../../../src/classifier/small-talk/SmallTalk.ts"
import type { Hints } from "../../../src/core/routing/Decision.ts"
import { Router } from "../../../src/core/routing/Router.ts"
import { world } from "./RouterWorld.ts"
import { callerWith, chatRequest } from "../call/Support.ts"

const FOLLOW_UPS = [
  "yes",
  "continue",
  "ok do it",
  "ja, mach weiter",
  "继续",
  "はい、続けてください",
  "نعم",
  " go on! ",
  "👍",
  ""
]
const COURTESY = "a courtesy that asks for nothing: scored by itself, not by what it follows"
const TASKS = [
  "Now write the same thing again, but as a sonnet in iambic pentameter",
  "请用中文详细解释一下为什么天空是蓝色的，并举出三个例子",
  "a b c d e f g",
  "y".repeat(41)
]

describe("isShort", () => {
  it("tells follow-ups from tasks in any language", () => {
    for (const text of FOLLOW_UPS) assert.isTrue(isShort(text), text)
    for (const text of TASKS) assert.isFalse(isShort(text), text)
  })

  it("does not read a megabyte of blanks to find that there is a word in it", () => {
    assert.isFalse(isShort(`yes${" ".repeat(1_000_000)}`))
  })
})

describe("before", () => {
  const user = (content: unknown) => ({ role: "user", content })
  const assistant = { role: "assistant", content: "Well." }

  it("finds the last task before the last message, over other follow-ups", () => {
    const history = [
      user("An earlier task that had many more words"),
      assistant,
      user("0.9 is this task, which has words enough")
    ]
    const more = [...history, assistant, user("yes"), assistant, user("go on")]
    assert.deepStrictEqual(before(more), {
      isAnswered: true,
      answer: "Well.",
      task: "0.9 is this task, which has words enough"
    })
    const short = [user("yes"), assistant, { role: "assistant", content: "Again?" }, user("go on")]
    assert.deepStrictEqual(before(short), { isAnswered: true, answer: "Again?", task: undefined })
    assert.isFalse(before([user("one message that is a task of its own"), user("yes")]).isAnswered)
  })

  it("reads parts, and calls of tools as answers", () => {
    const parts = user([{ type: "input_text", text: "one message that is a task of its own" }, { type: "input_image" }])
    const history = [parts, { type: "function_call", name: "f" }, { type: "function_call_output" }, user("yes")]
    assert.deepStrictEqual(before(history), {
      isAnswered: true,
      answer: "",
      task: "one message that is a task of its own"
    })
  })

  it("is not troubled by what is no message", () => {
    const nothing = { isAnswered: false, answer: "", task: undefined }
    assert.deepStrictEqual(before([null, 1, "x", { role: 5 }, [], user("yes")]), nothing)
    assert.deepStrictEqual(before([]), nothing)
  })
})

describe("a short follow-up", () => {
  const LONG = " is what this message is worth, by itself"
  const turn = (...texts: ReadonlyArray<string>) =>
    chatRequest({
      model: "auto",
      messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }))
    })
  const decide = (request: ReturnType<typeof turn>, hints: Hints = {}, id = "key_a") =>
    Effect.gen(function* () {
      const router = yield* Router
      const decision = yield* router.decide(request, callerWith({ id }), hints)
      router.answered(decision, decision.candidates[0]!.id)
      return decision
    })

  it.effect("in a conversation is scored by the message that it follows", () =>
    Effect.gen(function* () {
      const decision = yield* decide(turn(`0.9${LONG}`, "Done.", "yes", "Sure?", "go on"))
      assert.deepInclude(decision, { bucket: "complex", score: 0.9 })
      assert.include(decision.reasons, "a short follow-up: scored by the message it follows")
      assert.include(decision.reasons, "looks like 0.9")
    }).pipe(Effect.provide(world()))
  )

  it.effect("never lowers: a short question that is hard by itself stays so", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* decide(turn(`0.1${LONG}`, "Done.", "0.9")), { bucket: "complex", score: 0.9 })
    }).pipe(Effect.provide(world()))
  )

  it.effect("that nobody answered before is a prompt like any other, and so is a long one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* decide(turn("yes"))).score, 0)
      const two = {
        model: "auto",
        messages: [
          { role: "user", content: `0.9${LONG}` },
          { role: "user", content: "yes" }
        ]
      }
      assert.strictEqual((yield* decide(chatRequest(two))).score, 0)
      assert.strictEqual((yield* decide(turn(`0.9${LONG}`, "Done.", `0.1${LONG}`))).bucket, "simple")
    }).pipe(Effect.provide(world()))
  )

  it.effect("of a session that sends no history keeps the session's bucket, of the same key, for an hour", () =>
    Effect.gen(function* () {
      const hints = { sessionId: "s" }
      yield* decide(turn(`0.9${LONG}`), hints)
      const decision = yield* decide(turn("continue"), hints)
      assert.deepInclude(decision, { bucket: "complex", score: 0.9 })
      assert.include(decision.reasons, "a short follow-up: it keeps what its session was at, 0.9")
      assert.strictEqual((yield* decide(turn("continue"), hints, "key_b")).bucket, "simple")
      assert.strictEqual((yield* decide(turn("continue"), { sessionId: "t" })).bucket, "simple")
      yield* decide(turn(`0.4${LONG}`), hints)
      assert.strictEqual((yield* decide(turn("yes"), hints)).bucket, "standard")
      yield* TestClock.adjust("61 minutes")
      assert.strictEqual((yield* decide(turn("yes"), hints)).bucket, "simple")
    }).pipe(Effect.provide(world()))
  )

  it.effect("that asks for nothing is scored by itself, and the next one by the task before it", () =>
    Effect.gen(function* () {
      const task = [`0.9${LONG}`, "That is the proof."] as const
      for (const text of ["thanks", "Thank you, bye!", "great, thanks!", "谢谢", "👍", "Great!"]) {
        const decision = yield* decide(turn(...task, text))
        assert.deepInclude(decision, { bucket: "simple", score: 0 }, text)
        assert.include(decision.reasons, COURTESY)
      }
      for (const text of [
        "continue",
        "yes",
        "go on",
        "and now?",
        "ok",
        "sure",
        "do it",
        "thanks, go on",
        "that's all?"
      ]) {
        const decision = yield* decide(turn(...task, text))
        assert.deepInclude(decision, { bucket: "complex", score: 0.9 }, text)
        assert.notInclude(decision.reasons, COURTESY)
      }
      assert.strictEqual((yield* decide(turn(...task, "thanks", "My pleasure.", "go on"))).score, 0.9)
      assert.notInclude((yield* decide(turn("thanks"))).reasons, COURTESY)
    }).pipe(Effect.provide(world()))
  )

  it.effect("of praise is a yes where something was asked or offered, or where that can't be known", () =>
    Effect.gen(function* () {
      for (const answer of ["Shall I prove it?", "请问要我证明吗？", "If you like, I'll prove it.", ""]) {
        assert.strictEqual((yield* decide(turn(`0.9${LONG}`, answer, "great 👍"))).score, 0.9, answer)
        assert.strictEqual((yield* decide(turn(`0.9${LONG}`, answer, "great, thanks"))).score, 0, answer)
      }
      const hints = { sessionId: "s" }
      yield* decide(turn(`0.9${LONG}`), hints)
      assert.strictEqual((yield* decide(turn("👍"), hints)).score, 0.9)
    }).pipe(Effect.provide(world()))
  )

  it.effect("that asks for nothing leaves its session where it was", () =>
    Effect.gen(function* () {
      const hints = { sessionId: "s" }
      yield* decide(turn(`0.9${LONG}`), hints)
      const thanks = yield* decide(turn("thank you"), hints)
      assert.deepInclude(thanks, { bucket: "simple", score: 0 })
      assert.include(thanks.reasons, COURTESY)
      assert.deepInclude(yield* decide(turn("continue"), hints), { bucket: "complex", score: 0.9 })
    }).pipe(Effect.provide(world()))
  )

  it.effect("that asks for nothing does not begin a session: the next goes by the history, or is by itself", () =>
    Effect.gen(function* () {
      const hints = { sessionId: "s" }
      const thanked = [`0.9${LONG}`, "That is the proof.", "thanks"] as const
      assert.strictEqual((yield* decide(turn(...thanked), hints)).score, 0)
      assert.strictEqual((yield* decide(turn(...thanked, "My pleasure.", "go on"), hints)).score, 0.9)
    }).pipe(Effect.provide(world()))
  )

  it.effect("keeps the bucket that a preference put its session in", () =>
    Effect.gen(function* () {
      const hints = { sessionId: "s" }
      assert.strictEqual((yield* decide(turn(`0.2${LONG}`), { ...hints, prefer: "quality" })).bucket, "standard")
      const decision = yield* decide(turn("ok do it"), hints)
      assert.deepInclude(decision, { bucket: "standard", score: 0.2 })
      assert.strictEqual(decision.reasons[0], "auto: score 0.2, bucket standard")
    }).pipe(Effect.provide(world()))
  )
})
