/** What calls to deployments showed, as a matrix. */
import { factsOf } from "../setup/calls/Lessons.ts"
import type { Calls, Row } from "../setup/calls/LiveCalls.ts"
import type { Outcome } from "../setup/calls/Outcome.ts"
import { type Cell, cells } from "../setup/calls/Probes.ts"
import { table } from "./Table.ts"

export const callsReport = ({ models, notes, rows, spentUsd }: Calls, maxUsd: number): string =>
  [
    table(
      [
        { title: "DEPLOYMENT", value: ({ id }: Row) => id },
        ...cells.map((cell) => ({
          title: cell.toUpperCase(),
          value: ({ outcomes }: Row) => inWords(outcomes.get(cell))
        }))
      ],
      rows
    ),
    ...rows.flatMap(({ id, outcomes }) => [...outcomes].flatMap(([cell, outcome]) => reason(id, cell, outcome))),
    ...notes.map((note) => `! ${note}`),
    ...Object.entries(models).map(([name, learnt]) => `learnt: ${name} ${JSON.stringify(factsOf(learnt))}`),
    `${Number(spentUsd.toFixed(6))} USD of ${maxUsd} USD were spent.`
  ].join("\n")

const inWords = (outcome: Outcome | undefined): string => {
  if (outcome === undefined) return "not called"
  switch (outcome.kind) {
    case "works": {
      const { dropped, missing, viaResponses } = outcome
      return [
        missing === undefined ? "✓" : `? ${missing}`,
        ...(viaResponses ? ["responses"] : []),
        ...dropped.map((name) => `-${name}`)
      ].join(" ")
    }
    case "refused":
      return `✗ ${outcome.status}`
    case "failed":
      return `? ${outcome.status}`
    case "unsupported":
      return "–"
    case "over":
      return "over the limit"
    case "unbounded":
      return "no bound"
  }
}

const LONGEST = 300

/** Why a call did not work, or was not sent. */
const reason = (id: string, cell: Cell, outcome: Outcome): ReadonlyArray<string> => {
  if (outcome.kind === "works") return []
  const mark = outcome.kind === "refused" ? "✗" : outcome.kind === "failed" ? "?" : "–"
  return [`${mark} ${id}, ${cell}: ${outcome.message.slice(0, LONGEST)}`]
}
