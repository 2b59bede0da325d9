/** What came of each kind of content, in columns. */
import { kinds } from "./Kinds.ts"
import { services } from "./Services.ts"
import type { Judged } from "./Run.ts"
import { isAdmitted } from "./Verdict.ts"

const HEAD = [
  "content",
  "requests",
  "admitted",
  "refused",
  "failed",
  "affordable",
  "of them in",
  "billed",
  "booked",
  "worst",
  "over hold",
  "refused because"
]
const WIDTHS = [24, 8, 8, 7, 6, 10, 10, 10, 10, 7, 9, 0]

export const tableOf = (judged: ReadonlyArray<Judged>): ReadonlyArray<string> => {
  const rows = [...kinds, ...services].map(({ name }) =>
    rowOf(
      name,
      judged.filter(({ drawn }) => drawn.kind.name === name)
    )
  )
  return [HEAD, ...rows, rowOf("all", judged)].map(line)
}

const rowOf = (name: string, judged: ReadonlyArray<Judged>): ReadonlyArray<string> => {
  const count = (wanted: (one: Judged) => boolean) => String(judged.filter(wanted).length)
  const served = judged.filter(({ outcome }) => outcome === "admitted")
  const affordable = judged.filter(({ affordable }) => affordable === true)
  const sum = (field: "billed" | "booked") => (served.reduce((total, one) => total + one[field], 0) / 1e9).toFixed(4)
  // Of answers that were read to their end: more than 1 is spent without being booked.
  const worst = Math.max(
    0,
    ...served.filter(({ hungUp }) => !hungUp).map(({ billed, booked }) => billed / Math.max(1, booked))
  )
  return [
    name,
    String(judged.length),
    String(served.length),
    count(({ outcome }) => outcome === "refused"),
    count(({ outcome }) => outcome === "failed"),
    String(affordable.length),
    String(affordable.filter(isAdmitted).length),
    sum("billed"),
    sum("booked"),
    worst > 9999 ? "free" : worst.toFixed(2),
    count(({ billed, held }) => held !== undefined && billed > held),
    name === "all" ? "" : reasonsOf(judged)
  ]
}

/** The reasons for refusing what was affordable; else all of them. */
const reasonsOf = (judged: ReadonlyArray<Judged>): string => {
  const refused = judged.filter(({ outcome }) => outcome !== "admitted")
  const wrong = refused.filter((one) => one.affordable === true && !isAdmitted(one))
  const counts = new Map<string, number>()
  for (const { why } of wrong.length > 0 ? wrong : refused) counts.set(why, (counts.get(why) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, 3)
  return (wrong.length > 0 ? "(affordable) " : "") + sorted.map(([why, count]) => `${count} ${why}`).join(", ")
}

const line = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, index) =>
      index === 0 || index === WIDTHS.length - 1 ? cell.padEnd(WIDTHS[index]!) : cell.padStart(WIDTHS[index]!)
    )
    .join("  ")
