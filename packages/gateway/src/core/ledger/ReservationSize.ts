/** Whether the worst case of an attempt fits into its budgets. */
import { BudgetExceeded } from "../domain/Errors.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { type Bound, type ToolBound, zeroBound } from "../domain/pricing/Bound.ts"
import { mostUsed } from "../bounds/Bounds.ts"
import { sentLimit } from "../bounds/BoundedRequests.ts"
import { outputThatFits, sheetOf, worstCase, type PriceSheet } from "../domain/pricing/Pricing.ts"
import { type Growth, growthOf } from "./AbandonedCost.ts"
import { namedIn } from "../keys/CallerScope.ts"
import type { ScopeWithBudgets } from "./ScopeBudgets.ts"
import type { Intent } from "./Reservation.ts"

/** The output limit to send if neither the caller nor the model has one: enough for nearly every response, and still a bound. */
const ASSUMED_MAX_OUTPUT = 16_384

/** A smaller output limit is useless: the budget is reported as used up instead. */
const MIN_USEFUL_OUTPUT = 256

export interface ReservationSize {
  readonly amount: NanoUsd
  /** The output limit to send upstream; undefined if it is the caller's. */
  readonly maxOutput: number | undefined
  /** The limit for each vendor tool to send upstream. */
  readonly toolUses?: number | undefined
  /** False if the cost has no upper bound, which a budget does not allow. */
  readonly isBound: boolean
}

export interface SizedReservation extends ReservationSize {
  readonly growth: Growth
}

/** The size, with how the cost grows until it is reached. */
export const reservationSize = (
  ...[intent, held, input, now, room]: Parameters<typeof sizeOf>
): SizedReservation | BudgetExceeded => {
  const size = sizeOf(intent, held, input, now, room)
  return size instanceof BudgetExceeded ? size : { ...size, growth: growthOf(intent, input, now) }
}

/**
 * The worst case of an intent, or why it can't be reserved. Without a limit of the caller, the output is lowered to the room that
 * is left. With infinite `room` it is the preferred reservation.
 */
const sizeOf = (
  intent: Intent,
  held: ReadonlyArray<ScopeWithBudgets>,
  input: number,
  now: number,
  room = leastRoom(held)
): ReservationSize | BudgetExceeded => {
  const { bound = zeroBound, deployment } = intent
  // Provider calls that are alike: the worst case of one counts for each.
  const { requests = 1 } = bound
  const choices = intent.choices / requests
  const { price } = deployment
  if (price === undefined) return { amount: 0, maxOutput: undefined, isBound: false }
  const sheet = intent.tier === undefined ? price : (sheetOf(price, intent.tier) ?? price)
  const other = intent.orStandard === true && sheet !== price ? price : undefined
  const { tools } = bound
  // A price may rise while the call runs.
  const until = now + deployment.timeouts.total
  const known = intent.maxOutput === undefined ? deployment.maxOutputTokens : sentLimit(intent.maxOutput, deployment)
  // The input takes its part of the context window.
  const left = Math.max(MIN_USEFUL_OUTPUT, (deployment.contextWindow ?? Number.POSITIVE_INFINITY) - input - bound.audio)
  const cost = (output: number, uses: number): NanoUsd => {
    const amount = worst(sheet, bound, input, output, choices, uses, now, until)
    const otherwise = other === undefined ? 0 : worst(other, bound, input, output, choices, uses, now, until)
    return Math.max(amount, otherwise) * requests
  }
  if (held.length === 0) {
    // Without a budget nothing limits it, but it is charged if this process dies: reserve no more than the model can write.
    const output = known ?? (Number.isFinite(left) ? left : ASSUMED_MAX_OUTPUT)
    const written = Math.min(output, deployment.maxOutputTokens ?? output)
    const isBound = intent.isBound !== false && (known !== undefined || Number.isFinite(left))
    return { amount: cost(written, tools?.mostUses ?? 0), maxOutput: undefined, isBound }
  }
  // A limit from the configuration alone binds only once it is sent upstream.
  const isTold = intent.maxOutput === undefined && (known === undefined || intent.assumedOutput !== undefined)
  const assumed = intent.assumedOutput ?? ASSUMED_MAX_OUTPUT
  const output = known === undefined ? Math.min(assumed, left) : isTold ? Math.min(known, assumed) : known
  if (tools !== undefined) return fitTools(tools, intent, held, isTold ? undefined : known, output, room, cost, now)
  const amount = cost(output, 0)
  if (amount <= room) return { amount, maxOutput: isTold ? output : undefined, isBound: true }
  if (intent.maxOutput === undefined && bound.wholeOutput === undefined) {
    const rest = mostUsed(bound, input, 0, 0, 0)
    const fitting = (at: PriceSheet) => outputThatFits(at, rest, Math.floor(room / requests), now, until)
    const fits = other === undefined ? fitting(sheet) : Math.min(fitting(sheet), fitting(other))
    const lowered = Math.min(
      output,
      Math.floor(fits / choices / bound.writes) - bound.unlimitedOutput - (bound.summary?.tokens ?? 0)
    )
    if (lowered >= MIN_USEFUL_OUTPUT) return { amount: cost(lowered, 0), maxOutput: lowered, isBound: true }
  }
  const least = intent.maxOutput === undefined ? cost(MIN_USEFUL_OUTPUT, 0) : amount
  // Rounding may hide the shortfall, so at least one unit is missing.
  return refusal(intent, held, Math.max(least, room + 1), now)
}

/** Input and output share the context window: the part that may be either counts as the more expensive. */
const worst = (
  sheet: PriceSheet,
  bound: Bound,
  input: number,
  output: number,
  choices: number,
  uses: number,
  now: number,
  until: number
): NanoUsd => {
  const most = mostUsed(bound, input, output, choices, uses)
  const { audio, beyond, summary, tools, wholeOutput: window } = bound
  const isShared = window !== undefined && tools === undefined && audio === 0 && beyond === 0 && summary === undefined
  if (!isShared || sheet.changes !== undefined || sheet.ratesAt(now).tiers.length > 0)
    return worstCase(sheet, most, now, until)
  const read = Math.min(input, window)
  const left = (most.output / window) * (window - read)
  return Math.max(
    worstCase(sheet, { ...most, input: 0 }, now, until),
    worstCase(sheet, { ...most, input: read, output: left }, now, until)
  )
}

/** Allows as many tool uses as fit, then as much output as fits. The uses and the output both add to the input. */
const fitTools = (
  { free, freeUnpaid, hasLimits, mostUses }: ToolBound,
  intent: Intent,
  held: ReadonlyArray<ScopeWithBudgets>,
  known: number | undefined,
  wanted: number,
  room: NanoUsd,
  cost: (output: number, uses: number) => NanoUsd,
  now: number
): ReservationSize | BudgetExceeded => {
  const leastUses = Object.keys(free).length === 0 && freeUnpaid === 0 ? mostUses : 1
  let [output, uses] = [wanted, mostUses]
  for (;;) {
    const amount = cost(output, uses)
    if (amount <= room) {
      const told = output === known ? undefined : output
      return { amount, maxOutput: told, toolUses: hasLimits ? uses : undefined, isBound: true }
    }
    if (uses > leastUses) uses--
    else if (intent.maxOutput === undefined && output > MIN_USEFUL_OUTPUT) {
      output = Math.max(MIN_USEFUL_OUTPUT, Math.floor(output / 2))
    } else return refusal(intent, held, Math.max(amount, room + 1), now)
  }
}

const leastRoom = (held: ReadonlyArray<ScopeWithBudgets>): NanoUsd => {
  let least = Number.POSITIVE_INFINITY
  for (const { scope } of held) for (const window of scope.windows) least = Math.min(least, window.room)
  return least
}

/** Reports the full window with the latest reset. */
const refusal = (
  intent: Intent,
  held: ReadonlyArray<ScopeWithBudgets>,
  needed: NanoUsd,
  now: number
): BudgetExceeded => {
  const full = held
    .flatMap(({ of, scope }) => scope.windows.map((window) => ({ of, window })))
    .filter(({ window }) => window.room < needed)
  // If the request would not fit without requests in flight, only the next window helps. Otherwise requests in flight may free
  // room.
  const usedUp = full.filter(({ window }) => window.limit - window.booked < needed)
  const isUsedUp = usedUp.length > 0
  const { of, window } = (isUsedUp ? usedUp : full).reduce((a, b) => (b.window.end > a.window.end ? b : a))
  const resetsAt = Number.isFinite(window.end) ? window.end : null
  return new BudgetExceeded({
    kind: isUsedUp ? "budget" : "budget_reserved",
    ...namedIn(of),
    keyId: intent.caller.key.id,
    window: window.budget.window,
    limit: window.limit,
    used: isUsedUp ? window.booked : window.limit - window.left,
    needed,
    retryAfterSeconds: !isUsedUp ? 1 : resetsAt === null ? 86_400 : Math.max(1, Math.ceil((resetsAt - now) / 1000)),
    resetsAt,
    ...hintOn(intent)
  })
}

/** Reserving a whole context window surprises callers, and an operator's setting avoids it. */
const hintOn = ({ bound, deployment: { id } }: Intent): { readonly hint?: string } =>
  bound?.wholeOutput === undefined
    ? {}
    : {
        hint: `The output of \`${id}\` beyond its output limit is unbounded, so its whole context window is reserved. Set \`bounds: { reasoning_tokens: 0 }\` in the gateway's configuration if reasoning counts within the limit.`
      }
