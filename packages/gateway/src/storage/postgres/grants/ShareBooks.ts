/** The quota of this gateway as stored, and what waits to be reported (as absolute amounts) or requested. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { type QuotaRequest, isRate, type ShareName } from "../../../core/grants/Grants.ts"
import { Listeners } from "../../../core/grants/Listeners.ts"
import type { SettlementRow } from "../../../core/ledger/LedgerJournal.ts"
import { storable } from "../connection/Texts.ts"
import { windowRow } from "../ledger/PostgresRows.ts"

/** The store's response to a request. */
export interface Granted {
  readonly amount: number
  readonly room: number
  readonly spent: number
  /** Gateways that hold the missing quota, and were called. */
  readonly holders: ReadonlyArray<number>
  readonly freeInMs: number
}

export interface Question {
  readonly ask: QuotaRequest
  /** The number under which the holders are called; undefined if they are not. */
  readonly call: number | undefined
  readonly resume: (effect: Effect.Effect<Granted, StoreUnavailable>) => void
}

/** The response to a gateway that called quota back, once it is stored. */
export interface AnsweredCall {
  readonly node: number
  readonly call: number
  readonly freeInMs: number
}

export interface MovedRow {
  readonly n: number
  readonly granted: number
  readonly room: number
  readonly spent: number
  readonly holders: ReadonlyArray<number> | null
  readonly free_in_ms: number | null
}

interface ShareHolding {
  readonly share: Pick<ShareName, "scope" | "kind" | "start">
  /** Negative if requests cost more than was held. */
  amount: number
}

interface Cost extends ShareHolding {
  readonly cost: number
}

/** By the names of leases. */
export type Costs = ReadonlyMap<string, Cost>

const MOST_ASKS = 500

export class ShareBooks {
  readonly listeners = new Listeners()
  private readonly held = new Map<string, ShareHolding>()
  private changed = new Set<string>()
  private questions: Array<Question> = []
  private told: Array<AnsweredCall> = []
  /** Epoch milliseconds; a request before it is useless. */
  private asksFrom = 0
  /** The store may have other amounts. */
  isDoubtful = false
  /** The number of answered requests, and of those for which other gateways were called. */
  asked = 0
  recalls = 0

  get size(): number {
    return this.held.size
  }

  get waiting(): number {
    return this.questions.length + this.changed.size + this.told.length
  }

  get isAsking(): boolean {
    return this.questions.length > 0
  }

  hasWork(now: number): boolean {
    return this.changed.size > 0 || this.told.length > 0 || (this.questions.length > 0 && now >= this.asksFrom)
  }

  add(question: Question): void {
    this.questions.push(question)
  }

  give(share: ShareName, amount: number): void {
    if (amount === 0) return
    this.change(share, -amount)
    this.changed.add(idOf(share))
  }

  tell(told: AnsweredCall): void {
    this.told.push(told)
  }

  /** What to report now; there is one request per lease. */
  next() {
    const seen = new Set<string>()
    const questions = this.questions.filter(({ ask }) => {
      const id = idOf(ask.share)
      if (seen.has(id) || seen.size === MOST_ASKS) return false
      seen.add(id)
      return true
    })
    const { changed } = this
    this.changed = new Set()
    const told = [...this.told]
    const shares = Array.from(changed, (id) => this.rowOf(id))
    const asks = questions.map(({ ask: { isOwed, limit, need, partly, share, want }, call }, n) => {
      const { first, last } = windowRow({ scope: share.scope, window: share.kind, start: share.start }, n)
      const row = {
        n,
        ...named(share),
        held: Math.ceil(this.amountOf(share)),
        most: Math.floor(limit),
        need: Math.ceil(need),
        partly,
        want: Math.ceil(want),
        call,
        owed: isOwed
      }
      return isRate(share.kind) ? row : { ...row, first, last }
    })
    return { questions, changed, told, texts: [shares, told.map(toldRow), asks].map(textOf) }
  }

  /** The store has the report. Without responses, if it asks to wait until `later` (epoch milliseconds). */
  done({ changed, questions, told }: ReturnType<ShareBooks["next"]>, rows: ReadonlyArray<MovedRow>, later: number) {
    for (const id of changed) if (!this.changed.has(id) && this.held.get(id)?.amount === 0) this.held.delete(id)
    this.told = this.told.filter((one) => !told.includes(one))
    const answers = rows.filter(({ n }) => n >= 0)
    if (questions.length > answers.length) this.asksFrom = later
    const answered = new Set<Question>()
    for (const { free_in_ms: free, granted, holders, n, room, spent } of answers) {
      const question = questions[n]
      if (question === undefined) continue
      answered.add(question)
      this.asked++
      this.change(question.ask.share, granted)
      if (holders !== null) this.recalls++
      question.resume(
        Effect.succeed({
          amount: granted,
          room,
          spent,
          holders: holders ?? [],
          freeInMs: free ?? Number.POSITIVE_INFINITY
        })
      )
    }
    this.questions = this.questions.filter((one) => !answered.has(one))
  }

  /** What these rows cost, and what is left of each lease once they are recorded. */
  costs(rows: ReadonlyArray<SettlementRow>): Costs {
    const costs = new Map<string, Cost>()
    for (const { cost, taken = [] } of rows) {
      for (const { scope, start, window } of taken) {
        const share = { scope, kind: window, start }
        const before = costs.get(idOf(share))
        const amount = (before?.amount ?? this.amountOf(share)) - cost
        costs.set(idOf(share), { share, amount, cost: (before?.cost ?? 0) + cost })
      }
    }
    return costs
  }

  /** The rows are recorded. Quota may have been given back meanwhile. */
  booked(costs: Costs): void {
    for (const [id, { cost, share }] of costs) {
      this.change(share, -cost)
      if (this.held.get(id)?.amount === 0) this.held.delete(id)
    }
  }

  /** All amounts, for a store that may have others. */
  declared(): string | null {
    for (const [id, { amount }] of this.held) if (amount === 0) this.held.delete(id)
    return textOf(Array.from(this.held.values(), rowOfHolding))
  }

  /** Other gateways hold all of it now, except what requests under way reserve and what waits to be recorded. */
  lose(toBook: ReadonlyArray<SettlementRow>): void {
    this.held.clear()
    this.changed.clear()
    this.told = []
    for (const { amount, share } of this.listeners.lost()) if (amount !== 0) this.change(share, amount)
    for (const { cost, taken = [] } of toBook) {
      for (const { scope, start, window } of taken) this.change({ scope, kind: window, start }, cost)
    }
  }

  /** The store stays unavailable. */
  refuse(trouble: StoreUnavailable): void {
    const { questions } = this
    this.questions = []
    for (const { resume } of questions) resume(Effect.fail(trouble))
  }

  /** The leases of rate limits, for a gateway that leaves. */
  rates(): ReadonlyArray<ShareHolding["share"]> {
    return Array.from(this.held.values(), ({ share }) => share).filter(({ kind }) => isRate(kind))
  }

  private amountOf(share: ShareHolding["share"]): number {
    return this.held.get(idOf(share))?.amount ?? 0
  }

  private change(share: ShareHolding["share"], by: number): void {
    const id = idOf(share)
    const holding = this.held.get(id)
    if (holding === undefined) this.held.set(id, { share, amount: by })
    else holding.amount += by
  }

  private rowOf(id: string) {
    const holding = this.held.get(id)
    return holding === undefined ? undefined : rowOfHolding(holding)
  }
}

/** Token amounts may be fractions; they are rounded up, so that the reported amount is never too small. */
export const rowOfHolding = ({ amount, share }: ShareHolding) => ({
  ...named(share),
  amount: Math.max(0, Math.ceil(amount))
})

const named = ({ kind, scope, start }: ShareHolding["share"]) => ({ scope: storable(scope), kind, start })

const toldRow = ({ call, freeInMs, node }: AnsweredCall) => ({
  node,
  call,
  free_in_ms: Number.isFinite(freeInMs) ? freeInMs : null
})

const textOf = (rows: ReadonlyArray<object | undefined>): string | null => {
  const known = rows.filter((row) => row !== undefined)
  return known.length === 0 ? null : JSON.stringify(known)
}

const idOf = ({ kind, scope, start }: ShareHolding["share"]): string => `${storable(scope)}|${kind}|${start}`
