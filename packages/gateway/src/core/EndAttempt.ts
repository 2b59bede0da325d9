/** How an attempt's reservation ends in memory: what it held is free again, what it cost is counted in its budget windows. */
import { baselineCost } from "./Baseline.ts"
import type { BudgetWindow } from "./BudgetWindow.ts"
import { costOf } from "./Pricing.ts"
import type { Ending, Reservation } from "./SpendLedger.ts"
import type { SettlementRow, WindowCharge } from "./Store.ts"
import { isWhole, noUsage } from "./Usage.ts"

/** An attempt that is over. It waits to be booked. */
export interface Ended extends Omit<SettlementRow, "counts" | "settledAt" | "charges"> {
  /** The windows in memory that count its cost. */
  readonly charged: Array<BudgetWindow>
  readonly held: Reservation["held"]
}

type WindowsOf = (scope: string) => ReadonlyArray<BudgetWindow>

/** Without `ending` the attempt cost nothing. `windowsOf`: those in memory, of a key or team. Undefined when it was over before. */
export const endAttempt = (
  reservation: Reservation,
  ending: Ending | undefined,
  windowsOf: WindowsOf
): Ended | undefined => {
  if (reservation.closed) return undefined
  reservation.closed = true
  const { baseline: compared, deployment, held, holds, row } = reservation
  for (const window of holds) window.reserved -= row.reserved
  if (ending === undefined) {
    return {
      held,
      reservation: row,
      cost: 0,
      baseline: 0,
      usage: noUsage,
      estimated: false,
      status: "void",
      charged: []
    }
  }
  const isSound = ending.atWorst !== true && isWhole(ending.usage)
  // Numbers that are none would spoil every sum: what was held is the best guess that is left.
  const usage = isSound ? ending.usage : noUsage
  const cost = deployment.price === undefined ? 0 : isSound ? costOf(deployment.price, usage, row.at) : row.reserved
  const estimated = ending.estimated || !isSound
  const isCompared = compared !== undefined && ending.counts === "request"
  const price = isSound ? deployment.price : undefined
  const baseline = isCompared ? baselineCost(compared, price, cost, usage, row.at) : 0
  const charged = cost === 0 ? [] : [...holds]
  for (const window of charged) window.spent += cost
  const ended: Ended = { held, reservation: row, cost, baseline, usage, estimated, status: "settled", charged }
  chargeOthers(ended, windowsOf)
  return ended
}

/**
 * Counts the cost in windows that did not hold it and that it is in: of a budget that was added, or a window that was reached,
 * while the request ran. Until it is booked this is done again for each window that is opened: the store knows nothing of it yet.
 */
export const chargeOthers = ({ charged, cost, reservation }: Ended, windowsOf: WindowsOf): void => {
  if (cost === 0) return
  const { at, keyId, team } = reservation
  for (const name of team === null ? [`key:${keyId}`] : [`key:${keyId}`, `team:${team}`]) {
    for (const window of windowsOf(name)) {
      if (!window.covers(at) || charged.includes(window)) continue
      window.spent += cost
      charged.push(window)
    }
  }
}

/**
 * One that was kept when the clock was set back counts a row in memory only: the store goes by the time of its rows. One that the
 * store could not be asked about was made anew meanwhile: both are the same one there.
 */
export const chargesOf = ({ charged, reservation }: Ended): ReadonlyArray<WindowCharge> => {
  const charges: Array<WindowCharge> = []
  for (const window of charged) {
    if (window.covers(reservation.at) && !charges.some((one) => isSame(one, window.charge))) charges.push(window.charge)
  }
  return charges
}

const isSame = (a: WindowCharge, b: WindowCharge): boolean =>
  a.scope === b.scope && a.window === b.window && a.start === b.start
