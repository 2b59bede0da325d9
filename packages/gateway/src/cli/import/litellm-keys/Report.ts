/** What became of the table, for people and for programs. No secret and no digest of one is in it. */
import { type Entry, type Outcome, outcomes, type Problem } from "./Account.ts"
import type { Table } from "./Read.ts"

const headings: { readonly [Kind in Exclude<Outcome, "carried">]: string } = {
  changed: "Carried over, but not as it was",
  left_out: "Left out",
  not_needed: "Not needed"
}

const MOST_LINES = 5
const MOST_PROBLEMS = 50

const amount = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const linesOf = (lines: ReadonlyArray<number>): string => {
  const shown = lines.slice(0, MOST_LINES).join(", ")
  const more = lines.length - MOST_LINES
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${more > 0 ? ` and ${more} more` : ""}`
}

/** Entries that say the same of the same lines, as one. */
const grouped = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const ofColumns = by(entries, ({ column, message }) => `${column}\n${message}`)
  const groups = by(
    ofColumns,
    ([first, ...rest]) => `${first?.message}\n${[first, ...rest].map((one) => one?.line).join()}`
  )
  return groups.flatMap((columns) => {
    const [sample] = columns
    const [first] = sample ?? []
    if (sample === undefined || first === undefined) return []
    const names = columns.flatMap(([one]) => (one === undefined ? [] : [one.column])).join(", ")
    return [`  ${names} (${linesOf(sample.map(({ line }) => line))}): ${first.message}${first.isLooser ? " *" : ""}`]
  })
}

const by = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(items, key).values()
]

export interface Figures {
  readonly keys: number
  readonly disabled: number
  readonly looser: number
  readonly spent: string
}

export const reportAsText = ({ entries, skipped }: Table, figures: Figures): string => {
  const blocks = (["changed", "left_out", "not_needed"] as const).flatMap((outcome) => {
    const rows = grouped(entries.filter((entry) => entry.outcome === outcome))
    return rows.length === 0 ? [] : ["", headings[outcome], ...rows]
  })
  const ofOthers = skipped.length === 0 ? "" : `, ${amount(skipped.length, "row")} of LiteLLM's own pages left out`
  return [
    `${amount(figures.keys, "key")}${ofOthers}: ${figures.disabled} disabled, ${figures.spent} USD spent of budgets.`,
    ...blocks,
    ...(figures.looser === 0 ? [] : ["", `* ${looserSentence(figures.looser)}`])
  ].join("\n")
}

const looserSentence = (count: number): string =>
  `${amount(count, "key")} could do more here than there, and ${count === 1 ? "is" : "are"} made disabled. Give limits of this gateway and enable them (\`model-gateway keys update ID --enable\`), or import with --allow-looser.`

export const reportAsJson = ({ candidates, entries, skipped }: Table, figures: Figures, more: object): string =>
  JSON.stringify(
    {
      ...more,
      ...figures,
      counts: Object.fromEntries(
        outcomes.map((kind) => [kind, entries.filter(({ outcome }) => outcome === kind).length])
      ),
      skipped,
      rows: candidates.map(({ isDisabled, isLooser, key, line }) => ({
        line,
        name: key.name,
        disabled: isDisabled,
        looser: isLooser
      })),
      values: entries.map(({ column, isLooser, line, message, outcome }) => ({
        line,
        column,
        outcome,
        message,
        looser: isLooser
      }))
    },
    null,
    2
  )

export const problemsAsText = (file: string, problems: ReadonlyArray<Problem>): string => {
  const rows = problems
    .slice(0, MOST_PROBLEMS)
    .map(
      ({ column, line, message }) =>
        `  ${file}:${line}${typeof column === "number" ? `:${column}` : ` ${column}`}: ${message}`
    )
  const more = problems.length - rows.length
  return [
    `Nothing is imported: ${problems.length === 1 ? "one cell of" : `${problems.length} cells of`} ${file} can't be read.`,
    ...rows,
    ...(more > 0 ? [`  and ${more} more`] : [])
  ].join("\n")
}
