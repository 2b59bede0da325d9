import { assert, describe, it } from "@effect/vitest"
import { cleanUrl, nameProblem, readEntries, urlProblem } from "../../src/gateways/Entries.ts"

describe("the setting", () => {
  it("is read as it was written, with addresses as other clients have them", () => {
    const { entries, problems } = readEntries([
      { name: " Work ", url: "https://gw.example.com/v1/" },
      { name: "Local", url: "http://127.0.0.1:4100/ui/" }
    ])
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(entries, [
      { name: "Work", url: "https://gw.example.com" },
      { name: "Local", url: "http://127.0.0.1:4100" }
    ])
  })

  it("loses nothing that can be read, and says what can't", () => {
    const { entries, problems } = readEntries([
      { name: "Work", url: "https://gw.example.com" },
      "http://127.0.0.1",
      { name: "Work", url: "https://other.example.com" },
      { name: "Odd", url: "gw.example.com" },
      { name: "Secret", url: "https://user:hunter2@gw.example.com" },
      null
    ])
    assert.deepStrictEqual(
      entries.map(({ name }) => name),
      ["Work"]
    )
    assert.lengthOf(problems, 5)
    assert.match(problems[0] ?? "", /^Entry 2: `name` must be/)
    assert.match(problems[1] ?? "", /^Entry 3: there are two of the name Work/)
    assert.match(problems[2] ?? "", /^Entry 4: an address begins with http/)
    assert.notInclude(problems.join(), "hunter2")
  })

  it("that is no list, or is not there, has nothing", () => {
    assert.deepStrictEqual(readEntries(undefined), { entries: [], problems: [] })
    assert.match(readEntries({ name: "Work" }).problems[0] ?? "", /^It must be a list/)
  })
})

describe("an address", () => {
  it("keeps the path of a reverse proxy", () => {
    assert.strictEqual(cleanUrl("https://example.com//gateway/v1"), "https://example.com/gateway")
  })

  it("is refused with what would be right", () => {
    for (const bad of ["", "example.com", "ftp://example.com", "https://example.com/?a=1", "https://example.com/#x"]) {
      assert.isString(urlProblem(bad), bad)
    }
    assert.isUndefined(urlProblem("http://localhost:4100"))
  })
})

describe("a name", () => {
  it("has no slash, which ends it in a model's id", () => {
    assert.isUndefined(nameProblem("Team 2_a.b-c"))
    assert.isUndefined(nameProblem("Büro"))
    for (const bad of ["", "a/b", " ", "x".repeat(41), "$(icon)"]) assert.isString(nameProblem(bad), bad)
  })
})
