/** What the router's benchmark shows: its tables, its part of docs/routing-evaluation.md, its picture. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { replaceMarked } from "../../../../bench/router/Docs.ts"
import { pictureOf } from "../../../../bench/router/Picture.ts"
import {
  asMarkdown,
  asText,
  atLeast,
  atMost,
  percent,
  targetTable,
  withInterval
} from "../../../../bench/router/Report.ts"
import { curveOf, outcomeSetOf } from "../../src/metrics/Metrics.ts"
import { besideOthers } from "../../src/evaluation/Rankings.ts"

const routing = readFileSync(join(import.meta.dirname, "../../../../docs/routing-evaluation.md"), "utf8")

describe("tables", () => {
  const table = targetTable([atLeast("A", 0.6, 0.61), atMost("time | µs", 50, 50.4)])

  it("say what was wanted and found", () => {
    assert.strictEqual(
      asText(table),
      [
        "Targets",
        "measure     wanted   found    ",
        "A            ≥ 0.6   0.610   ✓",
        "time | µs     ≤ 50    50.4   ✗"
      ].join("\n")
    )
  })

  it("are sound Markdown", () => {
    assert.deepStrictEqual(asMarkdown(table).split("\n").slice(2), [
      "| measure | wanted | found |  |",
      "|---|--:|--:|--:|",
      "| A | ≥ 0.6 | 0.610 | ✓ |",
      "| time \\| µs | ≤ 50 | 50.4 | ✗ |"
    ])
  })

  it("leave out what has no meaning", () => {
    assert.strictEqual(withInterval({ value: Number.NaN, interval: [1, 2] }, percent), "-")
    assert.strictEqual(withInterval({ value: 0.5, interval: [0.25, 0.75] }, percent), "50.0 % (25.0 to 75.0 %)")
  })
})

describe("the benchmark's part of docs/routing-evaluation.md", () => {
  it("is replaced, and nothing else", () => {
    const replaced = replaceMarked(routing, "NEW")
    assert.strictEqual(replaceMarked(replaced, "NEW"), replaced)
    const [before, after] = replaced.split("\n\nNEW\n\n")
    assert.isTrue(routing.startsWith(before!) && routing.endsWith(after!))
  })

  it("is refused where the marks are not what they were", () => {
    const mark = /<!-- end of bench:router -->/
    assert.throws(() => replaceMarked(routing.replace(mark, ""), "NEW"), /each of these lines once/)
    assert.throws(() => replaceMarked(routing + routing, "NEW"), /each of these lines once/)
  })

  it("shows the picture", () => {
    assert.match(routing, /!\[[^\]]+\]\(routing\.svg\)/)
    assert.match(
      readFileSync(join(import.meta.dirname, "../../../../docs/routing.svg"), "utf8"),
      /^<svg [^]*<\/svg>\n$/
    )
  })
})

describe("the picture", () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    weak: i % 2,
    strong: i % 8 === 0 ? 0 : 1,
    weakCost: 1,
    strongCost: 10
  }))
  const set = outcomeSetOf(rows)
  const rankings = besideOthers(
    set,
    rows.map((_, i) => i),
    { ours: rows.map((_, i) => -i) }
  )
  const curves = Object.fromEntries(Object.entries(rankings).map(([name, each]) => [name, curveOf(set, each, 10)]))
  const svg = pictureOf([{ title: "A & B < C", curves }])

  it("is the same each time, and has a line for each ranking from the weak to the strong model", () => {
    assert.strictEqual(pictureOf([{ title: "A & B < C", curves }]), svg)
    const lines = Array.from(svg.matchAll(/<polyline class="(\w+)" points="([^"]+)"/g), ([, name, points]) => {
      const all = points!.split(" ")
      return [name, all.length, all[0], all.at(-1)]
    })
    const [, , start, end] = lines[0]!
    assert.deepStrictEqual(
      lines.map(([name]) => name),
      ["oracle", "ours", "length", "random"]
    )
    for (const [name, points, first, last] of lines)
      assert.deepStrictEqual([points, first, last], [11, start, end], String(name))
    assert.include(svg, ">A &amp; B &lt; C<")
    assert.notMatch(svg, /NaN|undefined|Infinity/)
  })

  it("can be read on light and on dark pages", () => {
    assert.match(svg, /prefers-color-scheme: dark/)
    const dark = /@media[^]*<\/style>/.exec(svg)![0]
    for (const name of [".page", "text", ".ours", ".length", ".random", ".oracle"]) assert.include(dark, `${name} {`)
  })
})
