/** Figures of several rounds and how they are shown. */

/** Of a round, or of a start. Names end with their unit. */
export type Figures = Readonly<Record<string, number>>

export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { min: sorted[0]!, median, max: sorted.at(-1)! }
}

/** The spread of every figure over the rounds. */
export const spreads = (rounds: ReadonlyArray<Figures>): Readonly<Record<string, Spread>> =>
  Object.fromEntries(Object.keys(rounds[0] ?? {}).map((name) => [name, spreadOf(rounds.map((round) => round[name]!))]))

/** The figure of one over that of the other, round by round. */
export const ratios = (ours: ReadonlyArray<Figures>, theirs: ReadonlyArray<Figures>, name: string) => {
  const rounds = ours.map((round, index) => rounded(round[name]! / theirs[index]![name]!, 3))
  return { rounds, median: rounded(spreadOf(rounds).median, 3) }
}

/** The figure of one less that of the other, round by round. */
export const differences = (ours: ReadonlyArray<Figures>, theirs: ReadonlyArray<Figures>, name: string): Spread =>
  spreadOf(ours.map((round, index) => rounded(round[name]! - theirs[index]![name]!, 3)))

/**
 * The interval that holds the median of all possible rounds with 95 % confidence, from those that were made: the pair of order
 * statistics with the binomial probability. With fewer than 6 rounds there is none: the range then.
 */
export const medianInterval = (values: ReadonlyArray<number>): { readonly low: number; readonly high: number } => {
  const sorted = [...values].sort((a, b) => a - b)
  const n = sorted.length
  let tail = 0
  let term = 0.5 ** n
  let rank = 0
  while (rank < n / 2 && tail + term <= 0.025) {
    tail += term
    term = (term * (n - rank)) / (rank + 1)
    rank++
  }
  const index = Math.max(0, rank - 1)
  return { low: sorted[index]!, high: sorted[n - 1 - index]! }
}

export const rounded = (value: number, decimals = 2): number => Number(value.toFixed(decimals))

const shown = (value: number): string =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en-US")
    : String(rounded(value, Math.abs(value) >= 10 ? 1 : 2))

const spreadText = ({ max, median, min }: Spread): string => `${shown(min)} / ${shown(median)} / ${shown(max)}`

/** A table in Markdown, with its columns under each other: one line for each figure, one column for each server, min / median / max. */
export const table = (title: string, columns: Readonly<Record<string, ReadonlyArray<Figures>>>): string => {
  const names = Object.keys(columns)
  const summed = Object.values(columns).map(spreads)
  const figures = [...new Set(summed.flatMap((column) => Object.keys(column)))]
  const rows = figures.map((figure) => [
    figure,
    ...summed.map((column) => (column[figure] === undefined ? "" : spreadText(column[figure])))
  ])
  return markdown([title, ...names], rows)
}

/** The first column to the left, all others to the right. */
export const markdown = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>) => {
    const padded = cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
    )
    return `| ${padded.join(" | ")} |`
  }
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  return [line(head), `|${rule.map((dashes) => ` ${dashes} `).join("|")}|`, ...rows.map(line)].join("\n")
}
