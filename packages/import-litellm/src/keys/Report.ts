/** What became of the table, for people and for programs. No secret and no digest of one is in it. */
import { type Entry, type Outcome, outcomes, type Place, type Problem } from "./KeysAccount.ts"
import type { Imports } from "./ReadKeys.ts"

const headings: { readonly [Kind in Exclude<Outcome, "carried">]: string } = {
  changed: "Carried over, but not as it was",
  left_out: "Left out",
  not_needed: "Not needed"
}

const MOST_PLACES = 5
const MOST_PROBLEMS = 50

const amount = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** `lines 2, 3 and 7 more`, or rows of one table by their names. */
const placesOf = (places: ReadonlyArray<Place>): string => {
  const [first] = places
  const shown = places
    .slice(0, MOST_PLACES)
    .map((at) => ("line" in at ? String(at.line) : at.row))
    .join(", ")
  const more = places.length - MOST_PLACES
  const what = first === undefined || !("line" in first) ? "" : places.length === 1 ? "line " : "lines "
  return `${what}${shown}${more > 0 ? ` and ${more} more` : ""}`
}

const nameOf = (at: Place): string => ("line" in at ? `line ${at.line}` : `${at.table} ${at.row}`)

/** The table, where there is more than one. */
const tableOf = (at: Place): string => ("line" in at ? "" : `${at.table.replace("LiteLLM_", "")}.`)

/** Entries that say the same of the same rows, as one. */
const grouped = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const ofColumns = by(entries, ({ at, column, message }) => `${tableOf(at)}${column}\n${message}`)
  const groups = by(ofColumns, (all) => `${all[0]?.message}\n${all.map(({ at }) => nameOf(at)).join()}`)
  return groups.flatMap((columns) => {
    const [sample] = columns
    const [first] = sample ?? []
    if (sample === undefined || first === undefined) return []
    const names = columns.flatMap(([one]) => (one === undefined ? [] : [`${tableOf(one.at)}${one.column}`])).join(", ")
    return [`  ${names} (${placesOf(sample.map(({ at }) => at))}): ${first.message}${first.isLooser ? " *" : ""}`]
  })
}

const by = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(items, key).values()
]

export interface Figures {
  readonly keys: number
  readonly teams: number
  /** Of LiteLLM's, of whom each owner gets a record. */
  readonly end_users: number
  readonly disabled: number
  readonly looser: number
  readonly spent: string
}

export const reportAsText = ({ entries, skipped }: Imports, figures: Figures): string => {
  const blocks = (["changed", "left_out", "not_needed"] as const).flatMap((outcome) => {
    const rows = grouped(entries.filter((entry) => entry.outcome === outcome))
    return rows.length === 0 ? [] : ["", headings[outcome], ...rows]
  })
  const ofOthers = skipped.length === 0 ? "" : `, ${amount(skipped.length, "row")} of LiteLLM's own pages left out`
  const named = [
    amount(figures.keys, "key"),
    ...(figures.teams === 0 ? [] : [amount(figures.teams, "team")]),
    ...(figures.end_users === 0 ? [] : [amount(figures.end_users, "end user")])
  ]
  const last = named.length > 1 ? ` and ${named.pop()}` : ""
  return [
    `${named.join(", ")}${last}${ofOthers}: ${figures.disabled} disabled, ${figures.spent} USD spent of budgets.`,
    ...blocks,
    ...(figures.looser === 0 ? [] : ["", `* ${looserSentence(figures.looser)}`])
  ].join("\n")
}

const looserSentence = (count: number): string =>
  `${amount(count, "key")} could do more here than there, and ${count === 1 ? "is" : "are"} made disabled. Give limits of this gateway and enable them (\`model-gateway keys update ID --enable\`), or import with --allow-looser.`

export const reportAsJson = ({ candidates, entries, skipped }: Imports, figures: Figures, more: object): string =>
  JSON.stringify(
    {
      ...more,
      ...figures,
      counts: Object.fromEntries(
        outcomes.map((kind) => [kind, entries.filter(({ outcome }) => outcome === kind).length])
      ),
      skipped: skipped.map(({ at, why }) => ({ ...at, why })),
      rows: candidates.map(({ at, isDisabled, isLooser, key }) => ({
        ...at,
        name: key.name,
        disabled: isDisabled,
        looser: isLooser
      })),
      values: entries.map(({ at, column, isLooser, message, outcome }) => ({
        ...at,
        column,
        outcome,
        message,
        looser: isLooser
      }))
    },
    null,
    2
  )

/** `source`: the file, or the database. */
export const problemsAsText = (source: string, problems: ReadonlyArray<Problem>): string => {
  const rows = problems.slice(0, MOST_PROBLEMS).map(({ at, column, message }) => {
    const row = "line" in at ? `${source}:${at.line}` : nameOf(at)
    return `  ${row}${typeof column === "number" ? `:${column}` : ` ${column}`}: ${message}`
  })
  const more = problems.length - rows.length
  return [
    `Nothing is imported: ${problems.length === 1 ? "one cell of" : `${problems.length} cells of`} ${source} can't be read.`,
    ...rows,
    ...(more > 0 ? [`  and ${more} more`] : [])
  ].join("\n")
}
