import { assert, describe, it } from "@effect/vitest"
import { CliOutput } from "effect/cli"
import { type Column, pairs, table } from "../../../src/cli/output/Table.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly spent: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "ID", value: (row) => row.id },
  { title: "NAME", value: (row) => row.name, shrinks: true },
  { title: "SPENT", value: (row) => row.spent, align: "right" }
]

const widthOf = (text: string): number => Math.max(...text.split("\n").map(CliOutput.displayWidth))

describe("table", () => {
  it("aligns columns, numbers by their ends, without spaces at the end of a line", () => {
    const rows = [
      { id: "key_1", name: "app", spent: "$1.50" },
      { id: "key_22", name: "batch jobs", spent: "$1,200.00" }
    ]
    const expected = ["ID      NAME            SPENT", "key_1   app             $1.50", "key_22  batch jobs  $1,200.00"]
    assert.strictEqual(table(columns, rows), expected.join("\n"))
  })

  it("is its header alone where there are no rows", () => {
    assert.strictEqual(table(columns, []), "ID  NAME  SPENT")
  })

  it("counts cells of the terminal, not characters", () => {
    const rows = [
      { id: "a", name: "日本語", spent: "1" },
      { id: "b", name: "é👍🏽", spent: "2" }
    ]
    assert.deepStrictEqual(table(columns, rows).split("\n").slice(1), ["a   日本語      1", "b   é👍🏽         2"])
  })

  it("fits 100 columns by cutting what may be cut", () => {
    const rows = [{ id: "key_abcdefghijkl", name: "n".repeat(200), spent: "$1.50" }]
    const text = table(columns, rows)
    assert.strictEqual(widthOf(text), 100)
    assert.include(text, "n…  $1.50")
    assert.include(text, "key_abcdefghijkl")
  })

  it("never cuts through a wide character", () => {
    const rows = [{ id: "a", name: "語".repeat(100), spent: "1" }]
    const text = table(columns, rows, 40)
    assert.isAtMost(widthOf(text), 40)
    assert.match(text, /語…  +1$/)
  })

  it("never cuts ids, however narrow", () => {
    const rows = [{ id: "x".repeat(60), name: "n".repeat(60), spent: "1" }]
    const text = table(columns, rows, 40)
    assert.include(text, "x".repeat(60))
    assert.include(text, "nnnnnnn…")
  })
})

describe("pairs", () => {
  it("line up", () => {
    const text = pairs([
      ["id", "key_1"],
      ["created", "now"],
      ["team", ""]
    ])
    assert.strictEqual(text, "id       key_1\ncreated  now\nteam")
  })
})
