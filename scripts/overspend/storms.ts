/** The storms of `npm run overspend`. */
import { Effect } from "effect"
import type { Outcome } from "../../packages/gateway/test/acceptance/OverspendCheck.ts"
import type { Topology } from "../../packages/gateway/test/acceptance/fleet/Fleets.ts"
import { overspendRun } from "../../packages/gateway/test/acceptance/OverspendRun.ts"
import { described } from "../Topology.ts"

/** Open files that a process needs beside its connections. */
const SPARE_FILES = 600
const cells = (outcome: Outcome, room: number): ReadonlyArray<string> => [
  outcome.name,
  String(outcome.requests),
  String(outcome.admitted),
  `${((100 * outcome.admitted) / room).toFixed(2)} %`,
  String(outcome.refused),
  String(outcome.finished),
  String(outcome.hungUp),
  outcome.budget.toFixed(6),
  outcome.booked.toFixed(6),
  outcome.stillReserved.toFixed(6),
  outcome.seconds.toFixed(1)
]
const head = [
  "budget of",
  "at once",
  "admitted",
  "of room",
  "429",
  "finished",
  "hung up",
  "budget USD",
  "booked USD",
  "held after",
  "s"
]
const widths = [50, 8, 8, 8, 6, 8, 7, 10, 10, 10, 6]
const line = (texts: ReadonlyArray<string>): string =>
  texts.map((text, index) => (index === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[index]!))).join("  ")

/** Whether all went as it should. */
export const storms = async (asked: number, roomAsked: number, topology: Topology): Promise<boolean> => {
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | "unlimited" } }
  }
  const files = Number(report.userLimits?.open_files?.soft)
  // The gateway has a connection for each request, and may have one more for each that is admitted.
  const share = Math.min(1, (files - SPARE_FILES) / (asked + roomAsked))
  const requests = share < 1 ? Math.floor(asked * share) : asked
  const room = share < 1 ? Math.floor(roomAsked * share) : roomAsked
  if (share < 1)
    console.log(`${files} open files a process are too few for ${asked} requests at once: ${requests} it is`)
  const who = described(topology)
  console.log(`${requests} requests at once on a budget with room for ${room}${who === "" ? "" : `, ${who}`}`)

  console.log(line(head))
  const parts = topology === "file" ? 1 : topology.nodes
  const { outcomes, problems, rows } = await Effect.runPromise(
    Effect.scoped(
      overspendRun({ requests, room, topology, onScenario: (outcome) => console.log(line(cells(outcome, room))) })
    )
  )
  for (const problem of problems.slice(0, 50)) console.log(`FAIL ${problem}`)
  console.log(
    problems.length === 0
      ? `${outcomes.length} storms, ${rows} rows in the ledger: none overspent, ${parts === 1 ? "none refused that fitted" : "at most one a process refused that fitted"}, nothing held, all books agree`
      : `${problems.length} problems`
  )
  return problems.length === 0
}
