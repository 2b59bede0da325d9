/** The Grafana dashboard in `packages/deploy/grafana` uses metrics and labels that the gateway has. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Metrics } from "@model-gateway/protocol"
import { readDocument, root } from "../support/DocumentFiles.ts"

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly description?: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

const dashboard: {
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly definition?: string }> }
} = JSON.parse(readFileSync(join(root, "packages/deploy/grafana/model-gateway.json"), "utf8"))

const charts = dashboard.panels.filter(({ type }) => type !== "row")
const queries = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const metrics = new Set(Metrics.definitions.map(({ prometheus }) => prometheus))
const metricsIn = (expression: string): ReadonlyArray<string> =>
  Array.from(expression.matchAll(/\b(?:gateway|gen_ai)_\w+/g), ([name]) => name.replace(/_(?:bucket|sum|count)$/, ""))

/** The labels of each metric, as the table of the page has them; `DEPLOYMENT` stands for several. */
const labelsOf = (metric: string): ReadonlyArray<string> => {
  const row = readDocument("docs/observability.md")
    .split("\n")
    .find((line) => line.startsWith("| `") && line.includes(`\`${metric}\``))
  const [, , , labels = ""] = row?.split("|") ?? []
  return Array.from(labels.matchAll(/`(\w+)`/g), ([, label = ""]) => (label === "DEPLOYMENT" ? "deployment" : label))
}

describe("the Grafana dashboard", () => {
  it("uses only metrics that the gateway has", () => {
    const used = [...queries, ...dashboard.templating.list.map(({ definition = "" }) => definition)].flatMap(metricsIn)
    assert.isAbove(new Set(used).size, 15)
    for (const name of used) assert.isTrue(metrics.has(name), name)
  })

  it("groups and filters by labels that its metrics have", () => {
    for (const expression of queries) {
      const known = new Set(["le", "job", "instance", ...metricsIn(expression).flatMap(labelsOf)])
      const grouped = Array.from(expression.matchAll(/ by \(([^)]*)\)/g), ([, list = ""]) => list.split(/, ?/)).flat()
      const filtered = Array.from(expression.matchAll(/(\w+)(?:=~|!=|=)"/g), ([, label = ""]) => label)
      for (const label of [...grouped, ...filtered]) assert.isTrue(known.has(label), `${label} in ${expression}`)
    }
  })

  it("has a title, a description and a query for each panel, and no panel over another", () => {
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
    const cells = new Set<string>()
    for (const { gridPos, title } of dashboard.panels) {
      assert.isAtMost(gridPos.x + gridPos.w, 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.isFalse(cells.has(`${x},${y}`), title)
          cells.add(`${x},${y}`)
        }
      }
    }
    for (const { description = "", targets = [], title } of charts) {
      assert.isNotEmpty(description, title)
      assert.isAbove(targets.length, 0, title)
    }
  })
})
