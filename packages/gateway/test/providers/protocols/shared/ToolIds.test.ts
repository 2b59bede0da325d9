import { assert, describe, it } from "@effect/vitest"
import {
  type IdForm,
  lettersOnly,
  plainIds,
  plainIdsUpTo,
  ToolIds
} from "../../../../src/providers/protocols/shared/ToolIds.ts"

const nine = lettersOnly(9)
const NINE = /^[a-zA-Z0-9]{9}$/

const opened = (form: IdForm, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const map = new ToolIds(form, ids)
  return ids.map((id) => map.open(id))
}

describe("ids of tool calls", () => {
  it("stay as they are where the provider takes them", () => {
    assert.deepStrictEqual(opened(nine, ["aB3dE6gH9", "000000000"]), ["aB3dE6gH9", "000000000"])
    assert.deepStrictEqual(opened(plainIds, ["toolu_1-a"]), ["toolu_1-a"])
  })

  it("of twenty thousand histories that begin alike never collide within a request", () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => `tooluse_${at}`)
    const names = opened(nine, ids)
    assert.strictEqual(new Set(names).size, ids.length)
    assert.isTrue(names.every((name) => NINE.test(name)))
  })

  it("that are valid keep their name though another's new name would be theirs", () => {
    const foreign = "call_abc"
    const [made] = opened(nine, [foreign])
    const names = opened(nine, [foreign, made!])
    assert.strictEqual(names[1], made)
    assert.notStrictEqual(names[0], made)
    assert.match(names[0]!, NINE)
  })

  it("are renamed the same way in every turn", () => {
    const turns = [["call_1"], ["call_1", "call_2"], ["call_1", "call_2", "fc-3"]]
    const last = opened(nine, turns[2]!)
    for (const turn of turns) assert.deepStrictEqual(opened(nine, turn), last.slice(0, turn.length))
  })

  it("that come again in a later turn are told apart, and each result finds its own call", () => {
    const map = new ToolIds(nine, ["call_0", "call_0"])
    const first = map.open("call_0")
    const answered = map.answered("call_0")
    const second = map.open("call_0")
    assert.strictEqual(answered, first)
    assert.notStrictEqual(second, first)
    assert.strictEqual(map.answered("call_0"), second)
  })

  it("of results without a call are never another call's", () => {
    const map = new ToolIds(nine, ["call_x"])
    const made = map.open("call_x")
    assert.notStrictEqual(map.answered(made), made)
    assert.match(map.answered("nobody"), NINE)
  })

  it("too long for a provider end in a hash of the whole", () => {
    const form = plainIdsUpTo(64)
    const long = "c".repeat(300)
    const [a, b] = opened(form, [`${long}1`, `${long}2`])
    assert.isTrue([a!, b!].every((name) => name.length === 64 && form.isValid(name)))
    assert.notStrictEqual(a, b)
    assert.deepStrictEqual(opened(form, ["a b", ""]), ["a-20-b", "_"])
  })
})
