/** Rows of the ledger for other programs. The columns, their order and their meaning are documented in docs/ledger.md. */
import { nanoToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import { rareClasses, tokenClasses, type UsageClass, wireName } from "@model-gateway/gateway/internal/core/domain/Usage"
import { rfc3339 } from "@model-gateway/gateway/internal/http/errors/WireFormat"
import type { ClosedRow } from "../store/reading/Books.ts"

type Value = string | number | boolean | null | ReadonlyArray<string>

const COUNTS_AS = ["nothing", "request", "failed_request"]

const time = (at: unknown): Value => (at === null ? null : rfc3339(at as number))
const usd = (nano: unknown): string => nanoToDecimal(nano as number)
const text = (value: unknown): Value => (value === "" ? null : (value as string | number | null))
const whole = (value: unknown): number => value as number

type Column = readonly [name: string, value: (row: ClosedRow) => Value]

const detailsOf = ({ details }: ClosedRow): { readonly [name: string]: unknown } =>
  typeof details === "string" ? JSON.parse(details) : {}

/** The unit stands at the end where the name does not say it. */
const exportName = (name: UsageClass): string => {
  const isToken = tokenClasses.some((token) => token === name)
  return isToken ? `${wireName(name)}_tokens` : wireName(name)
}

/** Money as text: a JSON number would be read as the nearest double. */
const columns: ReadonlyArray<Column> = [
  ["id", (row) => text(row["id"])],
  ["request_id", (row) => text(row["request_id"])],
  ["attempt", (row) => whole(row["attempt"])],
  ["at", (row) => time(row["at"])],
  ["settled_at", (row) => time(row["settled_at"])],
  ["status", (row) => text(row["status"])],
  ["key_id", (row) => text(row["key_id"])],
  ["team", (row) => text(row["team"])],
  ["provider", (row) => text(row["provider"])],
  ["model", (row) => text(row["model"])],
  ["deployment", (row) => text(row["deployment"])],
  ["tags", (row) => (row["tags"] === "" ? [] : String(row["tags"]).split(","))],
  ["counts_as", (row) => COUNTS_AS[whole(row["counts"])] ?? null],
  ["cost_usd", (row) => usd(row["cost"])],
  ["estimated", (row) => row["estimated"] === 1],
  ["reserved_usd", (row) => usd(row["reserved"])],
  ["price_source", (row) => text(row["price_source"])],
  ["price_version", (row) => text(row["price_version"])],
  ["input_tokens", (row) => whole(row["input"])],
  ["cached_input_tokens", (row) => whole(row["cached_input"])],
  ["cache_write_tokens", (row) => whole(row["cache_write"])],
  ["cache_write_1h_tokens", (row) => whole(row["cache_write_1h"])],
  ["output_tokens", (row) => whole(row["output"])],
  ["reasoning_tokens", (row) => whole(row["reasoning"])],
  ["audio_input_tokens", (row) => whole(row["audio_input"])],
  ["audio_output_tokens", (row) => whole(row["audio_output"])],
  ["auto_baseline_usd", (row) => (row["baseline"] === null ? null : usd(row["baseline"]))],
  ["service_tier", (row) => (row["status"] === "void" ? null : text(detailsOf(row)["service_tier"] ?? "default"))],
  ...rareClasses.map((name): Column => [exportName(name), (row) => whole(detailsOf(row)[wireName(name)] ?? 0)]),
  // Last, so that programs that read columns by position still find the others.
  ["operation", (row) => text(row["operation"])]
]

export const csvHeader = `${columns.map(([name]) => name).join(",")}\n`

/** RFC 4180, with a line feed at the end; a column that has no value is empty. */
export const csvLine = (row: ClosedRow): string => `${columns.map(([, value]) => csvField(value(row))).join(",")}\n`

export const jsonLine = (row: ClosedRow): string =>
  `${JSON.stringify(Object.fromEntries(columns.map(([name, value]) => [name, value(row)])))}\n`

const csvField = (value: Value): string => {
  if (typeof value === "number") return String(value)
  const plain = value === null ? "" : String(value)
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
