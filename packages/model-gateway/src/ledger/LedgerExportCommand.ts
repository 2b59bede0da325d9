/** `model-gateway ledger export`: the rows, for other programs. */
import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { csvHeader, csvLine, jsonLine } from "../output/LedgerRows.ts"
import { writeOut } from "../output/Stdout.ts"
import { periodFlags, periodOf } from "./PeriodFlags.ts"
import { findStore, inStore, storeFlags } from "./StoreFlags.ts"
import { wordFlag } from "../Flags.ts"

export const exportRows = Command.make(
  "export",
  {
    ...periodFlags,
    format: wordFlag(
      "format",
      ["csv", "jsonl"],
      "CSV with a header line, or one JSON object per line (default: csv)"
    ).pipe(Flag.withDefault("csv" as const)),
    ...storeFlags
  },
  Effect.fn("ledger.export")(function* (flags) {
    const store = yield* findStore(flags)
    const period = yield* periodOf(flags)
    const line = flags.format === "csv" ? csvLine : jsonLine
    yield* inStore(store, false, ({ closedRows }) => {
      const pages = Stream.map(closedRows(period), (rows) => rows.map(line).join(""))
      return writeOut(flags.format === "csv" ? Stream.concat(Stream.succeed(csvHeader), pages) : pages)
    })
  })
).pipe(
  Command.withDescription(
    "Write the closed rows of the ledger to stdout, oldest first: one row per attempt, times in RFC 3339 UTC, exact decimal USD. Running attempts are left out. The command only reads, and can run beside a gateway."
  ),
  Command.withShortDescription("Write the ledger's rows as CSV or JSON lines"),
  Command.withExamples([
    { command: "model-gateway ledger export --from 2026-11-01 --to 2026-12-01 > november.csv" },
    { command: "model-gateway ledger export --from 1d --format jsonl --store .model-gateway/gateway.db" }
  ])
)
