/**
 * The picture of docs/routing-evaluation.md: what every mix of a weak and a strong model costs and how good it is, ordered by our score, by prompt
 * length, by lot and by an oracle. Plain SVG, the same for the same data; it brings its own background, so that it can be read on
 * light and on dark pages.
 */
import { curveOf, type Mix, outcomeSetOf } from "../../packages/router-lab/src/metrics/Metrics.ts"
import { besideOthers } from "../../packages/router-lab/src/evaluation/Rankings.ts"
import { readRoutellm, scoresOf } from "./Protocols.ts"

export interface Panel {
  readonly title: string
  /** From all-weak to all-strong, by the ranking's name. */
  readonly curves: Readonly<Record<string, ReadonlyArray<Mix>>>
}

const STEPS = 100

/** Protocol A's two sets. */
export const panelsOf = (folder: string): ReadonlyArray<Panel> =>
  (["mmlu", "gsm8k"] as const).map((name) => {
    const rows = readRoutellm(folder, name)
    const set = outcomeSetOf(rows)
    const rankings = besideOthers(
      set,
      rows.map(({ prompt }) => prompt.length),
      { ours: scoresOf(rows) }
    )
    return {
      title: `${name.toUpperCase()}, ${rows.length.toLocaleString("en-US")} prompts`,
      curves: Object.fromEntries(
        Object.entries(rankings).map(([ranking, each]) => [ranking, curveOf(set, each, STEPS)])
      )
    }
  })

const WIDTH = 960
const HEIGHT = 482
const plot = { width: 380, height: 300, top: 122, left: [80, 550] } as const

const names: Readonly<Record<string, string>> = {
  oracle: "oracle (has seen the answers)",
  ours: "ours",
  length: "prompt length",
  random: "by lot"
}

const style = `
  text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 16px }
  .small { font-size: 12px; fill: #59636e }
  .page { fill: #ffffff }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .axis { stroke: #59636e; stroke-width: 1.2 }
  .point { fill: #1f2328 }
  polyline, .key { fill: none; stroke-width: 2; stroke-linejoin: round }
  .ours { stroke: #0969da; stroke-width: 3.2 }
  .length { stroke: #bc4c00 }
  .random { stroke: #59636e; stroke-dasharray: 6 5 }
  .oracle { stroke: #1a7f37; stroke-dasharray: 2 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .page { fill: #0d1117 }
    .grid { stroke: #30363d }
    .axis { stroke: #9198a1 }
    .point { fill: #f0f6fc }
    .ours { stroke: #4493f8 }
    .length { stroke: #f0883e }
    .random { stroke: #9198a1 }
    .oracle { stroke: #3fb950 }
  }
`

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const at = (value: number): string => value.toFixed(1)

/** The SVG of one or two panels. Costs are shown as a share of always-strong's. */
export const pictureOf = (panels: ReadonlyArray<Panel>): string => {
  const parts = panels.slice(0, plot.left.length).map((panel, index) => panelOf(panel, plot.left[index]!))
  const key = Object.entries(names)
    .toReversed()
    .map(([name, said], index) => {
      const x = 80 + [0, 130, 310, 420][index]!
      return `<line class="key ${name}" x1="${x}" y1="62" x2="${x + 34}" y2="62"/><text x="${x + 42}" y="67">${said}</text>`
    })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Cost against quality of mixes of a weak and a strong model">
<style>${style}</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="title" x="80" y="34">What a mix of a weak and a strong model costs, and how good it is</text>
${key.join("\n")}
${parts.join("\n")}
</svg>
`
}

const panelOf = ({ curves, title }: Panel, left: number): string => {
  const all = Object.values(curves)
  const strongCost = all[0]!.at(-1)!.cost
  const qualities = all.flatMap((mixes) => mixes.map(({ quality }) => quality))
  const low = Math.floor(Math.min(...qualities) * 20) / 20
  const high = Math.ceil(Math.max(...qualities) * 20) / 20
  const bottom = plot.top + plot.height
  const x = (cost: number): number => left + (cost / strongCost) * plot.width
  const y = (quality: number): number => bottom - ((quality - low) / (high - low)) * plot.height

  const rows = Array.from({ length: Math.round((high - low) * 20) + 1 }, (_, i) => low + i / 20).map(
    (quality) =>
      `<line class="grid" x1="${left}" y1="${at(y(quality))}" x2="${left + plot.width}" y2="${at(y(quality))}"/>` +
      `<text class="small" x="${left - 8}" y="${at(y(quality) + 4)}" text-anchor="end">${Math.round(quality * 100)} %</text>`
  )
  const columns = [0, 25, 50, 75, 100].map(
    (percent) =>
      `<line class="grid" x1="${at(x((strongCost * percent) / 100))}" y1="${plot.top}" x2="${at(x((strongCost * percent) / 100))}" y2="${bottom}"/>` +
      `<text class="small" x="${at(x((strongCost * percent) / 100))}" y="${bottom + 18}" text-anchor="middle">${percent} %</text>`
  )
  const lines = Object.keys(names).map(
    (name) =>
      `<polyline class="${name}" points="${curves[name]!.map(({ cost, quality }) => `${at(x(cost))},${at(y(quality))}`).join(" ")}"/>`
  )
  const [weak, strong] = [all[0]![0]!, all[0]!.at(-1)!]
  const points =
    `<circle class="point" cx="${at(x(weak.cost))}" cy="${at(y(weak.quality))}" r="5"/>` +
    `<text x="${at(x(weak.cost) + 10)}" y="${at(y(weak.quality) + 20)}">weak alone</text>` +
    `<circle class="point" cx="${at(x(strong.cost))}" cy="${at(y(strong.quality))}" r="5"/>` +
    `<text x="${at(x(strong.cost) - 8)}" y="${at(y(strong.quality) + 62)}" text-anchor="end">strong alone</text>`
  return [
    `<text class="title" x="${left}" y="${plot.top - 14}">${escaped(title)}</text>`,
    ...rows,
    ...columns,
    `<line class="axis" x1="${left}" y1="${bottom}" x2="${left + plot.width}" y2="${bottom}"/>`,
    ...lines,
    points,
    `<text class="small" x="${left + plot.width / 2}" y="${bottom + 40}" text-anchor="middle">cost, always-strong = 100 %; upwards: share of right answers</text>`
  ].join("\n")
}
