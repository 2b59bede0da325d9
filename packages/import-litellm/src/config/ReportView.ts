/** What became of the imported file, for people and for programs. */
import { type AccountLine, outcomes, type Outcome } from "./source/ConfigAccount.ts"

const headings: { readonly [Kind in Exclude<Outcome, "carried">]: string } = {
  changed: "Carried over, but not as it was",
  left_out: "Left out",
  not_needed: "Not needed"
}

const LOOSENED = "Limits that do not hold any more: set them before callers arrive"

const countOf = (lines: ReadonlyArray<AccountLine>, outcome: Outcome): number =>
  lines.filter((line) => line.outcome === outcome).length

const rowOf = ({ column, file, line, message, path }: AccountLine): string =>
  `  ${file}:${line}:${column} ${path}: ${message}`

/**
 * What was carried over as it was is counted only. Limits that callers no longer meet come first. Lines of one message beside each
 * other are one.
 */
export const reportAsText = (lines: ReadonlyArray<AccountLine>): string => {
  const counts = `${lines.length} values read: ${countOf(lines, "carried")} carried over, ${countOf(lines, "changed")} changed, ${countOf(lines, "not_needed")} not needed, ${countOf(lines, "left_out")} left out.`
  const block = (heading: string, some: ReadonlyArray<AccountLine>) => {
    const rows = grouped(some.filter(({ message }) => message !== "nothing stands here"))
    return rows.length === 0 ? [] : ["", heading, ...rows]
  }
  const loosened = lines.filter((line) => line.loosens === true)
  const blocks = (["changed", "left_out", "not_needed"] as const).flatMap((outcome) =>
    block(
      headings[outcome],
      lines.filter((line) => line.outcome === outcome && line.loosens !== true)
    )
  )
  return [counts, ...block(LOOSENED, loosened), ...blocks].join("\n")
}

const grouped = (lines: ReadonlyArray<AccountLine>): ReadonlyArray<string> => {
  const rows: Array<{ readonly first: AccountLine; more: number }> = []
  for (const line of lines) {
    const last = rows.at(-1)
    const isSame =
      last !== undefined &&
      last.first.message === line.message &&
      last.first.file === line.file &&
      parentOf(last.first.path) === parentOf(line.path)
    if (isSame) last.more += 1
    else rows.push({ first: line, more: 0 })
  }
  return rows.map(({ first, more }) => `${rowOf(first)}${more === 0 ? "" : ` (and ${more} more beside it)`}`)
}

const parentOf = (path: string): string => /^model_list\[\d+\]/.exec(path)?.[0] ?? path.split(/[.[]/)[0] ?? path

export const reportAsJson = (lines: ReadonlyArray<AccountLine>, more: object): string =>
  JSON.stringify(
    {
      ...more,
      counts: Object.fromEntries([
        ["values", lines.length],
        ...outcomes.map((outcome) => [outcome, countOf(lines, outcome)] as const),
        ["loosened", lines.filter((line) => line.loosens === true).length]
      ]),
      values: lines
    },
    null,
    2
  )
