/** What became of each cell of a row that says something. */
export const outcomes = ["carried", "changed", "left_out", "not_needed"] as const

export type Outcome = (typeof outcomes)[number]

export interface Entry {
  readonly line: number
  readonly column: string
  readonly outcome: Outcome
  /** "" where it was carried over as it was. */
  readonly message: string
  /** It kept the key from something that it may do here: the key is made disabled. */
  readonly isLooser: boolean
}

/** A cell that makes the whole import impossible. */
export interface Problem {
  readonly line: number
  /** The name of the column, or its place in the line. */
  readonly column: string | number
  readonly message: string
}

/** The entries of one row. */
export class RowAccount {
  readonly entries: Array<Entry> = []
  readonly problems: Array<Problem> = []
  private readonly line: number

  constructor(line: number) {
    this.line = line
  }

  carried(column: string): void {
    this.add(column, "carried", "")
  }

  changed(column: string, message: string): void {
    this.add(column, "changed", message)
  }

  leftOut(column: string, message: string): void {
    this.add(column, "left_out", message)
  }

  notNeeded(column: string, message: string): void {
    this.add(column, "not_needed", message)
  }

  /** Left out, and the key could do more than before. */
  looser(column: string, message: string): void {
    this.add(column, "left_out", message, true)
  }

  /** Everything that the cell forbade is everything. */
  forbids(column: string, message: string): void {
    this.add(column, "changed", message, true)
  }

  wrong(column: string, message: string): void {
    this.problems.push({ line: this.line, column, message })
  }

  get isLooser(): boolean {
    return this.entries.some((entry) => entry.isLooser)
  }

  private add(column: string, outcome: Outcome, message: string, isLooser = false): void {
    this.entries.push({ line: this.line, column, outcome, message, isLooser })
  }
}
