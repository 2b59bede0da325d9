/** What `router diff` found, for people and for programs. */
import { pairs, table } from "./Table.ts"
import { count, percent, printable } from "./TextOutput.ts"

interface Place {
  readonly score: number
  /** From 0, the lowest. */
  readonly bucket: number
}

export interface Moved {
  /** How it begins. */
  readonly prompt: string
  readonly before: Place
  readonly after: Place
}

export interface Diff {
  readonly file: string
  readonly from: string
  readonly to: string
  readonly points: ReadonlyArray<number>
  readonly moved: ReadonlyArray<Moved>
  /** Rows that could not be scored. */
  readonly withoutText: number
}

const MOST_SHOWN = 10

const nameOf = (index: number, points: ReadonlyArray<number>): string =>
  points.length === 3
    ? ["simple", "standard", "complex", "reasoning"][index]!
    : `${points[index - 1] ?? 0} to ${points[index] ?? 1}`

const countsOf = ({ moved, points }: Diff): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: points.length + 1 }, (_, from) =>
    Array.from(
      { length: points.length + 1 },
      (__, to) => moved.filter(({ after, before }) => before.bucket === from && after.bucket === to).length
    )
  )

const sharesOf = ({ moved }: Diff) => {
  const up = moved.filter(({ after, before }) => after.bucket > before.bucket).length / moved.length
  const down = moved.filter(({ after, before }) => after.bucket < before.bucket).length / moved.length
  return { up, down, all: up + down }
}

const farthest = ({ moved }: Diff): ReadonlyArray<Moved> =>
  moved
    .filter(({ after, before }) => after.bucket !== before.bucket)
    .toSorted((a, b) => Math.abs(b.after.score - b.before.score) - Math.abs(a.after.score - a.before.score))
    .slice(0, MOST_SHOWN)

export const diffAsText = (diff: Diff): string => {
  const { file, from, moved, points, to, withoutText } = diff
  const { all, down, up } = sharesOf(diff)
  const counts = countsOf(diff)
  const names = counts.map((_, index) => nameOf(index, points))
  const shown = farthest(diff)
  return [
    pairs([
      [
        "Prompts",
        `${count(moved.length)} of ${file}${withoutText === 0 ? "" : `; ${count(withoutText)} more without their text`}`
      ],
      ["Models", `${from} → ${to}`],
      ["Other bucket", `${percent(all)}: ${percent(up)} up, ${percent(down)} down`]
    ]),
    "",
    table(
      [
        { title: "BEFORE", value: ({ name }) => name },
        ...names.map((name, to) => ({
          title: `→ ${name}`,
          value: ({ row }: { readonly row: ReadonlyArray<number> }) => count(row[to]),
          align: "right" as const
        }))
      ],
      counts.map((row, index) => ({ name: names[index]!, row }))
    ),
    ...(shown.length === 0
      ? []
      : [
          "",
          table(
            [
              {
                title: "MOVES FARTHEST",
                value: ({ prompt }) => printable(prompt.replaceAll(/\s+/g, " ")),
                wraps: true
              },
              { title: "BEFORE", value: ({ before }) => before.score.toFixed(2), align: "right" },
              { title: "AFTER", value: ({ after }) => after.score.toFixed(2), align: "right" }
            ],
            shown
          )
        ])
  ].join("\n")
}

export const diffAsJson = (diff: Diff): string => {
  const { from, moved, points, to, withoutText } = diff
  const { all, down, up } = sharesOf(diff)
  return JSON.stringify({
    from,
    to,
    cut_points: points,
    prompts: moved.length,
    without_text: withoutText,
    other_bucket: all,
    up,
    down,
    counts: countsOf(diff),
    farthest: farthest(diff).map(({ after, before, prompt }) => ({ prompt, before: before.score, after: after.score }))
  })
}
