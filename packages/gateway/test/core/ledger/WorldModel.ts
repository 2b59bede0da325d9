/**
 * Keys, teams and their spending in the plainest form: a list of rows, summed up anew for every question. What is on disk is told
 * apart from what is only known in memory, since a crash leaves nothing but the first.
 */
import type { Budget } from "../../../src/core/domain/Budget.ts"
import { quickSpanAt } from "./SpendModel.ts"

export type Counts = "request" | "failed_request" | "nothing"

export interface WorldRow {
  readonly keyId: string
  readonly scopes: ReadonlyArray<string>
  readonly at: number
  readonly amount: number
  /** Names of the windows that it holds a part of. */
  readonly holds: ReadonlySet<string>
  state: "open" | "ended" | "booked"
  cost: number
  estimated: boolean
  counts: Counts
  onDisk: "nothing" | "open" | "closed"
}

export interface WorldWindow {
  readonly scope: string
  readonly name: string
  readonly limit: number
  readonly start: number
  readonly end: number
}

export class WorldModel {
  rows: Array<WorldRow> = []
  readonly budgets = new Map<string, ReadonlyArray<Budget>>()

  windows(scopes: ReadonlyArray<string>, now: number): ReadonlyArray<WorldWindow> {
    return scopes.flatMap((scope) =>
      (this.budgets.get(scope) ?? []).map((budget) => {
        const { end, start } = quickSpanAt(budget, now)
        const zone = budget.window === "total" ? "" : budget.timeZone
        return { scope, name: `${scope} ${budget.window} ${zone} ${start}`, limit: budget.limit, start, end }
      })
    )
  }

  spent({ end, scope, start }: WorldWindow): number {
    return sum(
      this.rows.filter((row) => row.scopes.includes(scope) && row.at >= start && row.at < end),
      (row) => row.cost
    )
  }

  reserved({ name }: WorldWindow): number {
    return sum(
      this.rows.filter((row) => row.state === "open" && row.holds.has(name)),
      (row) => row.amount
    )
  }

  room(window: WorldWindow): number {
    return window.limit - this.spent(window) - this.reserved(window)
  }

  open(keyId: string, scopes: ReadonlyArray<string>, now: number, amount: number): WorldRow {
    const row: WorldRow = {
      keyId,
      scopes,
      at: now,
      amount,
      holds: new Set(this.windows(scopes, now).map(({ name }) => name)),
      state: "open",
      cost: 0,
      estimated: false,
      counts: "nothing",
      onDisk: "nothing"
    }
    this.rows.push(row)
    return row
  }

  /** Frees what the row holds. It is on its way to the disk once it is booked. */
  end(row: WorldRow, cost: number, estimated: boolean): void {
    Object.assign(row, { state: "ended", cost, estimated })
  }

  book(row: WorldRow, counts: Counts): void {
    Object.assign(row, { state: "booked", counts })
  }

  /** All that was written is on disk. */
  commit(): void {
    for (const row of this.rows) row.onDisk = row.state === "booked" ? "closed" : "open"
  }

  /** The process died, and another one closes what it finds open at its worst case. */
  crash(): void {
    this.rows = this.rows.filter(({ onDisk }) => onDisk !== "nothing")
    for (const row of this.rows) {
      if (row.onDisk === "closed") continue
      this.end(row, row.amount, true)
      this.book(row, "failed_request")
      row.onDisk = "closed"
    }
  }

  /** What the rollups must say of a key. */
  booked(keyId: string) {
    const rows = this.rows.filter((row) => row.keyId === keyId && row.onDisk === "closed")
    return {
      cost: sum(rows, (row) => row.cost),
      estimatedCost: sum(rows, (row) => (row.estimated ? row.cost : 0)),
      requests: sum(rows, ({ counts }) => (counts === "nothing" ? 0 : 1)),
      failedRequests: sum(rows, ({ counts }) => (counts === "failed_request" ? 1 : 0))
    }
  }
}

const sum = <A>(list: ReadonlyArray<A>, of: (one: A) => number): number =>
  list.reduce((total, one) => total + of(one), 0)
