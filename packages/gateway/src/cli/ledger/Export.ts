/**
 * `model-gateway ledger export`: the rows, for other programs.
 */
import { Clock, DateTime, Effect, Option, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { PlatformError } from "effect"
import { closedRows } from "../../storage/sqlite/ClosedRows.ts"
import { parseSpan, parseTime } from "../admin/Values.ts"
import { CommandFailed } from "../Failure.ts"
import { csvHeader, csvLine, jsonLine } from "../output/LedgerRows.ts"
import { findStore, inStore, storeFlags } from "./StoreFlags.ts"

/** Seconds ago, or RFC 3339. */
const when = (text: string): Option.Option<number | string> => Option.orElse(parseSpan(text), () => parseTime(text))

const WHEN_ALLOWED = "a day such as 2026-11-01, a time such as 2026-11-01T18:00:00Z, or a span before now such as 7d"

export const exportRows = Command.make(
  "export",
  {
    from: Flag.String("from").pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDescription("2026-11-01 (UTC), 2026-11-01T18:00:00Z, or 7d for a week ago (default: the first row)"),
      Flag.filterMap(when, () => WHEN_ALLOWED),
      Flag.optional
    ),
    to: Flag.String("to").pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDescription("the end, which does not count itself (default: the last row)"),
      Flag.filterMap(when, () => WHEN_ALLOWED),
      Flag.optional
    ),
    format: Flag.Literals("format", ["csv", "jsonl"]).pipe(
      Flag.withDescription("comma-separated values with a first line of names, or a JSON object a line (default: csv)"),
      Flag.withDefault("csv" as const)
    ),
    ...storeFlags
  },
  Effect.fn("ledger.export")(function* (flags) {
    const filename = yield* findStore(flags)
    const now = yield* Clock.currentTimeMillis
    const instant = (at: number | string) =>
      typeof at === "string" ? DateTime.toEpochMillis(DateTime.makeUnsafe(at)) : now - at * 1000
    const [from, to] = [flags.from, flags.to].map((at) => Option.getOrUndefined(Option.map(at, instant)))
    const { stdout } = yield* Stdio.Stdio
    const line = flags.format === "csv" ? csvLine : jsonLine
    const pages = Stream.map(closedRows({ from, to }), (rows) => rows.map(line).join(""))
    const text = flags.format === "csv" ? Stream.concat(Stream.succeed(csvHeader), pages) : pages
    const written = Stream.run(text, stdout({ endOnDone: false })).pipe(
      Effect.catchTag("PlatformError", (error) =>
        // Whoever reads has seen enough.
        isClosedPipe(error) ? Effect.void : Effect.fail(new CommandFailed({ message: unwritable(error) }))
      )
    )
    yield* inStore({ filename, snapshot: false }, written)
  })
).pipe(
  Command.withDescription(
    "Write the closed rows of the ledger to stdout, oldest first: an attempt a row, times as RFC 3339 in UTC, money as exact decimals of USD. Attempts under way are left out. It only reads, and may run beside a gateway."
  ),
  Command.withShortDescription("Write the ledger's rows as CSV or JSON lines"),
  Command.withExamples([
    { command: "model-gateway ledger export --from 2026-11-01 --to 2026-12-01 > november.csv" },
    { command: "model-gateway ledger export --from 1d --format jsonl --store .model-gateway/gateway.db" }
  ])
)

const isClosedPipe = ({ reason }: PlatformError.PlatformError): boolean =>
  (reason.cause as NodeJS.ErrnoException | undefined)?.code === "EPIPE"

const unwritable = ({ reason }: PlatformError.PlatformError): string => {
  const { message } = (reason.cause ?? reason) as Error
  return `The rows can't be written: ${message}.`
}
