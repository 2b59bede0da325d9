/** What `store verify` found, for people and for programs. */
import { sumToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import type { Compared, Comparison, OtherRow } from "../store/copy/StoreVerify.ts"
import { pairs, table } from "./Table.ts"
import { count, printable } from "./TextOutput.ts"

export const differencesOf = ({ tables }: Comparison): number =>
  tables.reduce((sum, { different }) => sum + different, 0)

/** As people know it: nothing else of that table is compared. */
const nameOf = ({ table }: Compared): string => (table === "meta" ? "pepper" : table)

export const comparisonAsText = (file: string, found: Comparison): string => {
  const { cost, place, tables } = found
  const summary = pairs([
    ["File", printable(file)],
    ["Postgres", printable(place)],
    ["Booked", `${sumToDecimal(cost.inFile)} USD in the file, ${sumToDecimal(cost.inPostgres)} USD in Postgres`]
  ])
  const counts = table(
    [
      { title: "ROWS OF", value: nameOf },
      { title: "FILE", value: ({ inFile }) => count(inFile), align: "right" },
      { title: "POSTGRES", value: ({ inPostgres }) => count(inPostgres), align: "right" },
      { title: "DIFFERENT", value: ({ different }) => count(different), align: "right" }
    ],
    tables
  )
  const lines = tables.flatMap((one) => one.rows.map((row) => `${nameOf(one)} ${line(row)}`))
  const more = differencesOf(found) - lines.length
  const rest = more > 0 ? [`and ${count(more)} more`] : []
  return [summary, "", counts, "", ...(lines.length === 0 ? ["All of them agree."] : [...lines, ...rest])].join("\n")
}

const line = ({ columns, is, key }: OtherRow): string =>
  `${printable(key)}: ${is}${columns.length === 0 ? "" : ` in ${columns.join(", ")}`}`

export const comparisonAsJson = (file: string, found: Comparison): string =>
  JSON.stringify({
    ok: differencesOf(found) === 0,
    file,
    postgres: found.place,
    cost_usd: { file: sumToDecimal(found.cost.inFile), postgres: sumToDecimal(found.cost.inPostgres) },
    tables: found.tables.map((one) => ({
      table: one.table,
      file_rows: one.inFile,
      postgres_rows: one.inPostgres,
      different: one.different,
      rows: one.rows
    }))
  })
