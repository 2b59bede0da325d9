/** The end of a reservation in memory: releases it, and counts its cost in its budget windows. */
import { type RosterMember, NOWHERE } from "../collections/Roster.ts"
import { baselineCost } from "./Savings.ts"
import { type BudgetWindow, spanAt, windowName } from "./BudgetWindow.ts"
import {
  costAsHeld,
  costAt,
  costOf,
  knownCostOf,
  type PriceSheet,
  ratesOf,
  sheetOf
} from "../domain/pricing/Pricing.ts"
import { STANDARD } from "../domain/pricing/ServiceTier.ts"
import type { Ended, Ending, HeldReservation } from "./Reservation.ts"
import type { ScopeWithBudgets } from "./ScopeBudgets.ts"
import type { Budget } from "../domain/Budget.ts"
import { scopesOf, type SettlementRow, type WindowCharge } from "./LedgerJournal.ts"
import { isWhole, noUsage, type Usage } from "../domain/Usage.ts"

/** An ended attempt, as the ledger of one process keeps it until it is recorded. */
export interface Settlement extends Ended, RosterMember, Omit<SettlementRow, "counts" | "settledAt" | "charges"> {
  /** The windows in memory that already count its cost. */
  readonly charged: Array<BudgetWindow>
  /** The names of its key and its team, `key:<id>` and `team:<name>`. */
  readonly scopes: ReadonlyArray<string>
  readonly held: ReadonlyArray<ScopeWithBudgets>
}

type WindowsOf = (scope: string) => ReadonlyArray<BudgetWindow>
type BudgetsOf = (scope: string) => ReadonlyArray<Budget>

/** Without `ending` the attempt cost nothing. `windowsOf`: the windows in memory of a key or team. */
export const settlementOf = (
  reservation: HeldReservation,
  ending: Ending | undefined,
  windowsOf: WindowsOf
): Settlement => {
  const { baseline: compared, deployment, held, holds, row } = reservation
  for (const window of holds) window.reserved -= row.reserved
  const scopes = scopesOf(row)
  if (ending === undefined) {
    return {
      id: row.id,
      isAuto: row.isAuto,
      held,
      reservation: row,
      cost: 0,
      baseline: 0,
      usage: noUsage,
      estimated: false,
      serviceTier: undefined,
      isUnpriced: false,
      status: "void",
      charged: [],
      scopes,
      place: NOWHERE
    }
  }
  const isSound = ending.atWorst !== true && isWhole(ending.usage)
  const tier = ending.serviceTier ?? reservation.tier
  const own = deployment.price === undefined ? undefined : sheetOf(deployment.price, tier)
  const other = isSound ? otherSheet(reservation, ending, tier) : undefined
  const sheet = other === undefined || own === undefined ? own : dearer(own, other, ending, row.at)
  // An invalid number would spoil every sum. The reserved amount is the best remaining estimate.
  const usage = isSound ? counted(ending.usage, sheet, reservation.requests) : noUsage
  const rates = sheet === undefined || !isSound ? undefined : ratesOf(sheet, usage, row.at, ending.requests)
  const exact = rates !== undefined ? costAt(rates, usage) : sheet === undefined ? Number.NaN : row.reserved
  const isPriced = !Number.isNaN(exact)
  const cost = isPriced ? exact : unpricedCost(reservation, sheet, usage)
  const estimated = ending.estimated || !isSound
  const isCompared = compared !== undefined && ending.counts === "request"
  const price = isSound && isPriced ? sheet : undefined
  const comparable = isCompared ? baselineCost(compared, price, usage, row.at) : 0
  // With an unknown price nothing was saved.
  const baseline = comparable ?? cost
  const charged = cost === 0 ? [] : [...holds]
  for (const window of charged) window.add(cost)
  const ended: Settlement = {
    id: row.id,
    isAuto: row.isAuto,
    held,
    reservation: row,
    cost,
    baseline,
    isIncomparable: comparable === undefined,
    usage,
    rates,
    estimated,
    serviceTier: tier === STANDARD ? undefined : tier,
    isUnpriced: !isPriced,
    priceVersion: sheet === own ? undefined : sheet?.version,
    status: "settled",
    charged,
    scopes,
    place: NOWHERE
  }
  chargeOthers(ended, windowsOf)
  return ended
}

/** The prices of the model that responded, if the response names another model of the vendor than was requested. */
const otherSheet = ({ deployment }: HeldReservation, { model }: Ending, tier: string): PriceSheet | undefined => {
  if (model === undefined || model === deployment.model) return undefined
  const other = deployment.price?.answeredAs?.(model)
  return other === undefined ? undefined : (sheetOf(other, tier) ?? other)
}

const dearer = (own: PriceSheet, other: PriceSheet, { requests, usage }: Ending, at: number): PriceSheet =>
  costOf(other, usage, at, requests) > costOf(own, usage, at, requests) ? other : own

/** The cost when some prices are missing: the known part, or under a budget the reserved amount. `sheet` is the prices of its tier. */
const unpricedCost = (
  { deployment: { price }, holds, row, tier }: HeldReservation,
  sheet: PriceSheet | undefined,
  usage: Usage
): number => {
  if (holds.length === 0 || price === undefined) return sheet === undefined ? 0 : knownCostOf(sheet, usage, row.at)
  return costAsHeld(sheet ?? sheetOf(price, tier) ?? price, usage, row.at)
}

/** Responses do not report calls, so they are counted here. */
const counted = (usage: Usage, sheet: PriceSheet | undefined, requests: number): Usage =>
  sheet?.hasRequestFee === true && usage.requestFees === 0 ? { ...usage, requestFees: requests } : usage

/**
 * Counts the cost in windows without the reservation: those of budgets added, or begun, while the request ran. Repeated for every
 * window opened before the settlement is recorded, because the store does not know its cost until then.
 */
export const chargeOthers = ({ charged, cost, held, reservation, scopes }: Settlement, windowsOf: WindowsOf): void => {
  if (cost === 0) return
  const { at } = reservation
  for (const name of scopes) {
    for (const window of heldAs(name, held)?.known ?? windowsOf(name)) {
      if (!window.covers(at) || charged.includes(window)) continue
      window.add(cost)
      charged.push(window)
    }
  }
}

/** It holds the scope, which is the only one of that name until it is recorded: finding it in a large map costs more. */
const heldAs = (name: string, held: ReadonlyArray<ScopeWithBudgets>) =>
  held.find(({ scope }) => scope.name === name)?.scope

export const settlementRow = (
  ended: Settlement,
  counts: SettlementRow["counts"],
  settledAt: number,
  budgetsOf: BudgetsOf
): SettlementRow => ({
  reservation: ended.reservation,
  settledAt,
  cost: ended.cost,
  baseline: ended.baseline,
  usage: ended.usage,
  estimated: ended.estimated,
  serviceTier: ended.serviceTier,
  isUnpriced: ended.isUnpriced,
  priceVersion: ended.priceVersion,
  status: ended.status,
  counts,
  charges: chargesOf(ended, budgetsOf),
  taken: takenOf(ended)
})

/** The windows whose quota leases shrank by its cost. */
const takenOf = ({ charged }: Settlement): ReadonlyArray<WindowCharge> | undefined =>
  charged.some(({ share }) => share !== undefined) ? charged.map(({ charge }) => charge) : undefined

/**
 * The windows that count the cost in the store. If the store could not be read, a window may exist twice in memory, which is one in
 * the store. A past window may be gone from memory; the reservation's time finds it.
 */
const chargesOf = (
  { charged, cost, held, reservation, scopes }: Settlement,
  budgetsOf: BudgetsOf
): ReadonlyArray<WindowCharge> => {
  const charges: Array<WindowCharge> = []
  for (const { charge } of charged) if (!charges.some((one) => isSame(one, charge))) charges.push(charge)
  if (cost === 0) return charges
  for (const scope of scopes) {
    const budgets = heldAs(scope, held)?.budgets ?? budgetsOf(scope)
    addLeft(charges, charged, scope, budgets, reservation.at)
  }
  return charges
}

/** There is almost never such a window. */
const addLeft = (
  charges: Array<WindowCharge>,
  charged: ReadonlyArray<BudgetWindow>,
  scope: string,
  budgets: ReadonlyArray<Budget>,
  at: number
): void => {
  for (const budget of budgets) {
    if (charged.some((one) => one.budget === budget && one.scope === scope)) continue
    const window = windowName(budget)
    if (charges.some((one) => one.scope === scope && one.window === window)) continue
    charges.push({ scope, window, start: spanAt(budget, at).start })
  }
}

const isSame = (a: WindowCharge, b: WindowCharge): boolean =>
  a.scope === b.scope && a.window === b.window && a.start === b.start
