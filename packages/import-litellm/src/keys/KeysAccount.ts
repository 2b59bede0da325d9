/** What became of each cell of a row that says something. */
export const outcomes = ["carried", "changed", "left_out", "not_needed"] as const

export type Outcome = (typeof outcomes)[number]

/** A row, as people find it again: in a file by its line, in a database by its table and its name. */
export type Place = { readonly line: number } | { readonly table: string; readonly row: string }

export interface Entry {
  readonly at: Place
  readonly column: string
  readonly outcome: Outcome
  /** "" where it was carried over as it was. */
  readonly message: string
  /** It kept the key from something that it may do here: the key is made disabled. */
  readonly isLooser: boolean
}

/** A cell that makes the whole import impossible. */
export interface Problem {
  readonly at: Place
  /** The name of the column, or its place in the line. */
  readonly column: string | number
  readonly message: string
}

/** The entries of one row. */
export class RowAccount {
  entries: Array<Entry> = []
  readonly problems: Array<Problem> = []
  readonly at: Place

  constructor(at: Place) {
    this.at = at
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
    this.problems.push({ at: this.at, column, message })
  }

  get isLooser(): boolean {
    return this.entries.some((entry) => entry.isLooser)
  }

  private add(column: string, outcome: Outcome, message: string, isLooser = false): void {
    // What is said later of the same cell is more than that it was carried over, or not needed.
    this.entries = this.entries.filter(
      (entry) => entry.column !== column || (entry.outcome !== "carried" && entry.outcome !== "not_needed")
    )
    this.entries.push({ at: this.at, column, outcome, message, isLooser })
  }
}
