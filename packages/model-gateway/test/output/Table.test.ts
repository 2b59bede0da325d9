import { assert, describe, it } from "@effect/vitest"
import { CliOutput } from "effect/cli"
import { type Column, pairs, table } from "../../src/output/Table.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly spent: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "ID", value: (row) => row.id },
  { title: "NAME", value: (row) => row.name, wraps: true },
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

  it("has one line for each row where no terminal says how wide it is", () => {
    assert.isUndefined(process.stdout.columns)
    const rows = [{ id: "key_abcdefghijkl", name: "n".repeat(200), spent: "$1.50" }]
    assert.lengthOf(table(columns, rows).split("\n"), 2)
  })

  it("fits the width that it is given, and loses nothing", () => {
    const rows = [{ id: "key_abcdefghijkl", name: "n".repeat(200), spent: "$1.50" }]
    const text = table(columns, rows, 100)
    assert.strictEqual(widthOf(text), 100)
    assert.strictEqual(text.match(/n/g)?.length, 200)
    assert.match(text.split("\n")[1]!, /^key_abcdefghijkl {2}n+ {2}\$1\.50$/)
  })

  it("goes on after a sign that joins names", () => {
    const rows = [{ id: "a", name: "openai/gpt-5-mini", spent: "1" }]
    assert.deepStrictEqual(table(columns, rows, 22).split("\n").slice(1), ["a   openai/gpt-      1", "    5-mini"])
  })

  it("never breaks a wide character", () => {
    const rows = [{ id: "a", name: "語".repeat(100), spent: "1" }]
    const text = table(columns, rows, 40)
    assert.isAtMost(widthOf(text), 40)
    assert.strictEqual(text.match(/語/g)?.length, 100)
  })

  it("never wraps ids, however narrow", () => {
    const rows = [{ id: "x".repeat(60), name: "n".repeat(60), spent: "1" }]
    const text = table(columns, rows, 40)
    assert.include(text, "x".repeat(60))
    assert.strictEqual(text.match(/n/g)?.length, 60)
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
