/**
 * The books of several processes in one store, kept by the process that owns it: each process has a journal of its own, whose rows are
 * numbered here, and what they cost leaves the shares of that process in the same step.
 */
import { Effect } from "effect"
import type { AbandonedRule } from "../../../src/core/domain/AbandonedRule.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import type { GrantOwner, Member } from "./GrantOwner.ts"
import type { ShareName, SharedBudget } from "../../../src/core/grants/Grants.ts"
import type { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { abandonedCost } from "../../../src/core/ledger/AbandonedCost.ts"
import {
  type LedgerJournal,
  type ReservationRow,
  scopesOf,
  type SettlementRow
} from "../../../src/core/ledger/LedgerJournal.ts"

type Journal = LedgerJournal["Service"]

/** How a row closes, without the row. */
export type Closing = Omit<SettlementRow, "reservation">

export class LedgerOwner {
  private readonly journal: Journal
  private readonly grants: GrantOwner
  /** By process, by the number that it gave them. */
  private readonly open = new Map<Member, Map<number, ReservationRow>>()
  /** When processes were buried, and by which rule: what they had sent may be read later. */
  private readonly graves = new WeakMap<Member, readonly [settledAt: number, rule: AbandonedRule]>()
  private nextId: number

  constructor(journal: Journal, grants: GrantOwner, lastId: number) {
    this.journal = journal
    this.grants = grants
    this.nextId = lastId + 1
  }

  /** The journal of one process. Its rows are numbered from 1, whatever the store holds. */
  journalOf(member: Member): Journal {
    const mine = new Map<number, ReservationRow>()
    this.open.set(member, mine)
    return {
      ...this.journal,
      lastId: Effect.succeed(0),
      // Those of processes before this one are its owner's to close.
      abandonOpen: () => Effect.succeed(0),
      reserve: (row) => {
        const owned = { ...row, id: this.nextId++ }
        const grave = this.graves.get(member)
        if (grave === undefined) {
          mine.set(row.id, owned)
          return this.journal.reserve(owned)
        }
        const [settledAt, rule] = grave
        const late = this.counted(member, owned, abandoned(owned, settledAt, rule))
        return Effect.andThen(this.journal.reserve(owned), this.journal.settle(late))
      },
      settle: ({ reservation, ...row }) => this.settle(member, reservation.id, row)
    }
  }

  /** `id`: as the process numbered the row. */
  settle(member: Member, id: number, closing: Closing): Effect.Effect<void, StoreUnavailable> {
    return Effect.suspend(() => {
      const row = this.closed(member, id, closing)
      return row === undefined ? Effect.void : this.journal.settle(row)
    })
  }

  /** A process is dead: its open rows are booked by the rule, and its shares are free. Returns the number of rows. */
  buried(member: Member, settledAt: number, rule: AbandonedRule) {
    return Effect.suspend(() => {
      const rows = Array.from(this.open.get(member)?.values() ?? [], (row) =>
        this.counted(member, row, abandoned(row, settledAt, rule))
      )
      this.open.delete(member)
      this.graves.set(member, [settledAt, rule])
      this.grants.leave(member)
      return Effect.as(
        Effect.forEach(rows, (row) => this.journal.settle(row), { discard: true }),
        rows.length
      )
    })
  }

  /** Undefined where it was closed before. */
  private closed(member: Member, id: number, closing: Closing): SettlementRow | undefined {
    const mine = this.open.get(member)
    const reservation = mine?.get(id)
    if (mine === undefined || reservation === undefined) return undefined
    mine.delete(id)
    return this.counted(member, reservation, closing)
  }

  /** How many requests of it are under way. */
  openOf(member: Member): number {
    return this.open.get(member)?.size ?? 0
  }

  readonly standing = (shares: ReadonlyArray<ShareName>) =>
    Effect.forEach(shares, (share) =>
      Effect.map(this.grants.spent(share), (spent): SharedBudget => ({ spent, reserved: this.reserved(share) }))
    )

  private reserved({ end, scope, start }: ShareName): number {
    let reserved = 0
    for (const rows of this.open.values()) {
      for (const row of rows.values()) {
        if (row.at >= start && row.at < end && scopesOf(row).includes(scope)) reserved += row.reserved
      }
    }
    return reserved
  }

  /** The row with every window that its cost counts in; the shares of its process that held it shrink. */
  private counted(member: Member, reservation: ReservationRow, closing: Closing): SettlementRow {
    const { cost, taken = [] } = closing
    const windows = this.grants.booked(member, scopesOf(reservation), reservation.at, cost, taken)
    const charges = [...closing.charges]
    for (const { kind, scope, start } of windows) {
      const isKnown = charges.some((one) => one.scope === scope && one.window === kind && one.start === start)
      if (!isKnown) charges.push({ scope, window: kind, start })
    }
    return { ...closing, reservation, charges, taken: undefined }
  }
}

/** It died just then, or will not answer again. It saved nothing. */
const abandoned = (reservation: ReservationRow, settledAt: number, rule: AbandonedRule): Closing => {
  const cost = abandonedCost(reservation, rule, settledAt)
  return {
    settledAt,
    cost,
    baseline: cost,
    usage: noUsage,
    estimated: true,
    status: "abandoned",
    counts: "failed_request",
    charges: []
  }
}
