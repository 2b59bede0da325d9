/** How an attempt's reservation ends in memory: what it held is free again, what it cost is counted in its budget windows. */
import type { BudgetWindow } from "./BudgetWindow.ts"
import type { NanoUsd } from "./Money.ts"
import { costOf } from "./Pricing.ts"
import type { Outcome, Reservation } from "./SpendLedger.ts"
import type { SettlementRow, WindowCharge } from "./Store.ts"
import { isWhole, noUsage } from "./Usage.ts"

/** An attempt that is over. It waits to be booked. */
export interface Ended extends Omit<SettlementRow, "counts" | "settledAt"> {
  readonly held: Reservation["held"]
}

type WindowsOf = (scope: string) => ReadonlyArray<BudgetWindow>

/** Without `outcome` the attempt cost nothing. `windowsOf`: those in memory, of a key or team. Undefined when it was over before. */
export const endAttempt = (
  reservation: Reservation,
  outcome: Omit<Outcome, "counts"> | undefined,
  windowsOf: WindowsOf
): Ended | undefined => {
  if (reservation.closed) return undefined
  reservation.closed = true
  const { deployment, held, holds, row } = reservation
  for (const window of holds) window.reserved -= row.reserved
  if (outcome === undefined) {
    return { held, reservation: row, cost: 0, usage: noUsage, estimated: false, status: "void", charges: [] }
  }
  const isSound = isWhole(outcome.usage)
  // Numbers that are none would spoil every sum: what was held is the best guess that is left.
  const usage = isSound ? outcome.usage : noUsage
  const cost = deployment.price === undefined ? 0 : isSound ? costOf(deployment.price, usage, row.at) : row.reserved
  const charges = cost === 0 ? [] : charge(reservation, cost, windowsOf)
  return { held, reservation: row, cost, usage, estimated: outcome.estimated || !isSound, status: "settled", charges }
}

/** Counts a cost in memory; what the store has to charge. */
const charge = ({ holds, row }: Reservation, cost: NanoUsd, windowsOf: WindowsOf): ReadonlyArray<WindowCharge> => {
  // A budget that was added, or a window that was reached, while the request ran counts it too, if it began in it.
  const charged = [...holds]
  const { at, keyId, team } = row
  const include = (window: BudgetWindow) => {
    if (window.covers(at) && !charged.includes(window)) charged.push(window)
  }
  windowsOf(`key:${keyId}`).forEach(include)
  if (team !== null) windowsOf(`team:${team}`).forEach(include)
  const charges: Array<WindowCharge> = []
  for (const window of charged) {
    window.spent += cost
    // One that was kept when the clock was set back has it in memory only: the store goes by the time of its rows.
    if (window.covers(at)) charges.push(window.charge)
  }
  return charges
}
