import { assert, describe, it } from "@effect/vitest"
import { NOWHERE, Roster } from "../../../src/core/collections/Roster.ts"

const member = (name: string) => ({ name, place: NOWHERE })
const names = (roster: Roster<ReturnType<typeof member>>) => roster.all().map(({ name }) => name)

describe("Roster", () => {
  it("has those that came and did not go", () => {
    const roster = new Roster<ReturnType<typeof member>>()
    const [a, b, c] = [member("a"), member("b"), member("c")]
    for (const one of [a, b, c]) roster.add(one)
    roster.delete(a)
    assert.deepStrictEqual(names(roster).sort(), ["b", "c"])
    roster.delete(c)
    assert.deepStrictEqual(names(roster), ["b"])
    assert.strictEqual(roster.size, 1)
    roster.add(a)
    assert.deepStrictEqual(names(roster).sort(), ["a", "b"])
  })

  it("deletes nobody twice, and nobody of another roster", () => {
    const [roster, other] = [new Roster<ReturnType<typeof member>>(), new Roster<ReturnType<typeof member>>()]
    const [a, b, elsewhere] = [member("a"), member("b"), member("elsewhere")]
    roster.add(a)
    roster.add(b)
    other.add(elsewhere)
    roster.delete(elsewhere)
    roster.delete(a)
    roster.delete(a)
    assert.deepStrictEqual(names(roster), ["b"])
    assert.deepStrictEqual(names(other), ["elsewhere"])
  })

  it("finds a member by its handle only while it is here", () => {
    const roster = new Roster<ReturnType<typeof member>>()
    const a = member("a")
    assert.isUndefined(roster.find(a))
    roster.add(a)
    assert.strictEqual(roster.find(a), a)
    assert.isUndefined(roster.find({ place: 0 }))
    assert.isUndefined(roster.find({}))
    roster.delete(a)
    assert.isUndefined(roster.find(a))
  })

  it("gives a list that stays as it is while members leave", () => {
    const roster = new Roster<ReturnType<typeof member>>()
    for (const name of ["a", "b", "c", "d"]) roster.add(member(name))
    const seen: Array<string> = []
    for (const one of roster.all()) {
      seen.push(one.name)
      roster.delete(one)
    }
    assert.deepStrictEqual(seen, ["a", "b", "c", "d"])
    assert.strictEqual(roster.size, 0)
  })
})
