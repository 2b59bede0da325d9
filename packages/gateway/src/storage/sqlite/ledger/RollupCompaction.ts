/**
 * Blocks are rollups of UTC days and months, so that reading a month takes milliseconds. Those of the current day and month are
 * remade every hour and day. A block is read once it is complete and listed, and made in small steps of the group commit. A late
 * row unlists it and all later ones, and they are made again. Settlements do not write blocks.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { type BlockStatements, prepareBlocks, type CompactionSource } from "./CompactionStatements.ts"
import { HOUR_MS } from "../../records/Scopes.ts"
import { DAY_HOURS, monthOf, type SpendBlock } from "../../records/SpendSlices.ts"
import { UnawaitedWrite } from "../writer/WriteOperation.ts"
import type { Writer } from "../writer/Writer.ts"

/** A block to make from `slots`: the hours or days whose rollups it sums up. */
interface Work extends SpendBlock {
  readonly source: CompactionSource
  readonly slots: ReadonlyArray<number>
}

/** Rows read in one step, which takes a few milliseconds. */
const STEP_ROWS = 1000

/** Sorts after every key. */
const END = "\u{10FFFF}"

export class Blocks {
  private readonly writer: Writer["Service"]
  private readonly statements: BlockStatements
  /** The end of the time that is summed up, or being summed up. */
  private summedTo = 0
  /** The newest hour in which a row was recorded. */
  private latest = 0
  /** Counts the rows that were recorded too late for their block. */
  private late = 0
  private wake: (() => void) | undefined

  constructor(writer: Writer["Service"], db: DatabaseSync) {
    this.writer = writer
    this.statements = prepareBlocks(db)
    this.summedTo = this.end()
    this.latest = Number(this.statements.lastHour.get()?.["hour"] ?? 0)
  }

  /** Call it before a row of that time (epoch milliseconds) is recorded. */
  books(at: number): void {
    const hour = Math.floor(at / HOUR_MS)
    // Queued before the row, so that one transaction has both or neither.
    if (hour < this.summedTo) this.writer.add(new UnawaitedWrite(() => this.unlist(hour), true))
    if (hour <= this.latest) return
    this.latest = hour
    this.wake?.()
  }

  /** Runs in a transaction. */
  unlist(hour: number): void {
    this.late++
    this.statements.unlistAfter.run({ hour })
    this.summedTo = this.end()
  }

  /** Makes blocks for as long as the gateway runs, each time an hour with recorded rows has passed. */
  readonly keepUp: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    while (true) {
      const work = yield* this.writer.write(() => this.next())
      if (work === undefined) yield* this.newHour
      else yield* this.make(work)
    }
  }).pipe(
    // Commits fail: the next hour tries again.
    Effect.catch(() => this.newHour),
    Effect.forever
  )

  private readonly newHour = Effect.callback<void>((resume) => {
    this.wake = () => {
      this.wake = undefined
      resume(Effect.void)
    }
  })

  private readonly make = Effect.fnUntraced({ self: this }, function* (work: Work) {
    const { late } = this
    this.summedTo = Math.max(this.summedTo, work.start + work.hours)
    let after: string | undefined = ""
    while (after !== undefined) {
      const from: string = after
      after = yield* this.writer.write(() => this.step(work, from))
      // Requests go first.
      yield* Effect.yieldNow
    }
    yield* this.writer.write(() => (this.late === late ? this.list(work) : undefined))
  })

  /** Sums up the next keys. Returns the last of them, or undefined when there are no more. */
  private step(work: Work, after: string): string | undefined {
    const { start, hours } = work
    const { addTotals, begin, deleteRange, deleteTotals, retired, [work.source]: from } = this.statements
    const slots = JSON.stringify(work.slots)
    const step = Math.ceil(STEP_ROWS / work.slots.length)
    const edge = from.edge.get({ slots, after, step })?.["edge"] as string | null
    const range = { after, edge: edge ?? END }
    if (after === "") {
      begin.run({ start, hours })
      deleteTotals.run({ start, hours })
    }
    from.sum.run({ start, hours, slots, ...range })
    addTotals.run({ start, hours, ...range })
    for (const old of retired.all({ start, hours })) {
      deleteRange.run({ start, hours: old["hours"]!, ...range })
      if (after === "") deleteTotals.run({ start, hours: old["hours"]! })
    }
    return edge ?? undefined
  }

  /** Queries that began earlier still read the previous block: its rows are deleted when the next one is made. */
  private list({ hours, start }: SpendBlock): void {
    const { forget, list, retired } = this.statements
    for (const old of retired.all({ start, hours })) forget.run({ start, hours: old["hours"]! })
    list.run({ start, hours })
    this.summedTo = this.end()
  }

  /** The oldest block to make; undefined if there is none now. */
  private next(): Work | undefined {
    const last = this.lastDay()
    // Requests of an hour may still settle in the next one.
    const until = this.latest - 1
    const month = last === undefined ? undefined : this.monthUpTo(last)
    if (last !== undefined && last.hours < DAY_HOURS) {
      const day = this.day(last.start, until)
      if (day !== undefined && day.hours > last.hours) return day
    } else {
      const from = last === undefined ? 0 : last.start + DAY_HOURS
      const hour = this.statements.firstHour.get({ hour: from })?.["hour"] as number | null
      const day = hour === null ? undefined : this.day(Math.floor(hour / DAY_HOURS) * DAY_HOURS, until)
      // Of earlier months only the complete block is useful.
      const isOver = day !== undefined && month !== undefined && monthOf(day.start) !== month.start
      if (day !== undefined && !isOver) return day
    }
    return month
  }

  private day(start: number, until: number): Work | undefined {
    const hours = Math.min(DAY_HOURS, until - start)
    if (hours <= 0) return undefined
    return { start, hours, source: "hours", slots: Array.from({ length: hours }, (_, index) => start + index) }
  }

  /** The month's block up to the last complete day, unless it exists. On the first day of a month there is none. */
  private monthUpTo({ hours, start: lastDay }: SpendBlock): Work | undefined {
    const end = hours < DAY_HOURS ? lastDay : lastDay + DAY_HOURS
    const start = monthOf(end - 1)
    const work = { start, hours: end - start }
    if (work.hours <= DAY_HOURS || this.statements.find.get(work)?.["listed"] === 1) return undefined
    const slots = Array.from({ length: work.hours / DAY_HOURS }, (_, index) => start + index * DAY_HOURS)
    return { ...work, source: "days", slots }
  }

  private lastDay(): SpendBlock | undefined {
    return this.statements.lastDay.get() as SpendBlock | undefined
  }

  private end(): number {
    const last = this.lastDay()
    return last === undefined ? 0 : last.start + last.hours
  }
}
