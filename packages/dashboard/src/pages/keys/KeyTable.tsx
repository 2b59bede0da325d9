/** Keys as a table that can be sorted, with what each spent this month and how it last failed. */
import type { Key, Receipt, SpendReport } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/Query.ts"
import { moment, usd, words } from "../../Format.ts"
import { Fullest } from "../../parts/Budgets.tsx"
import { Badge, Link, Name, statusTone } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"
import { timeZone } from "../../Zone.ts"

/** Failed requests that are looked at for the last one of each key. */
const MOST_FAILURES = "1000"
const WEEK_MS = 7 * 86_400_000
const HOUR_MS = 3_600_000

interface Row {
  readonly key: Key
  /** Undefined where the answer has not come. */
  readonly spend: number | undefined
  readonly failure: Receipt | undefined
}

type Order = "newest" | "name" | "team" | "spend" | "used" | "failure"

const byText = (a: string | null | undefined, b: string | null | undefined): number =>
  a === b ? 0 : (a ?? "") === "" ? 1 : (b ?? "") === "" ? -1 : (a ?? "").localeCompare(b ?? "")

/** The latest first. */
const byTime = (a: string | null | undefined, b: string | null | undefined): number => (b ?? "").localeCompare(a ?? "")

const orders: { readonly [Name in Order]: (a: Row, b: Row) => number } = {
  newest: (a, b) => byTime(a.key.created_at, b.key.created_at),
  name: (a, b) => byText(a.key.name, b.key.name),
  team: (a, b) => byText(a.key.team, b.key.team),
  spend: (a, b) => (b.spend ?? 0) - (a.spend ?? 0),
  used: (a, b) => byTime(a.key.last_used_at, b.key.last_used_at),
  failure: (a, b) => byTime(a.failure?.at, b.failure?.at)
}

const columns: ReadonlyArray<readonly [title: string, order: Order | undefined, style?: string]> = [
  ["Name", "name"],
  ["Status", undefined],
  ["Team", "team"],
  ["Models", undefined, "wide-only"],
  ["Fullest budget", undefined],
  ["Spend this month", "spend", "number"],
  ["Last error (7 days)", "failure"],
  ["Last used", "used"],
  ["Created", "newest", "wide-only"]
]

const monthStart = (now: Date): string => new Date(now.getFullYear(), now.getMonth(), 1).toISOString()

/** `team`: all keys are of this one, which its column would repeat. `spendOf`: where their spend is read. */
export const KeyTable = (props: {
  readonly keys: ReadonlyArray<Key>
  readonly team?: string
  readonly spendOf?: string
}) => {
  const { keys, spendOf = "spend", team } = props
  const [order, setOrder] = useState<Order>("newest")
  // The same text for an hour, so that the question stays the same.
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const from = monthStart(new Date(hour))
  const spend = useQuery<SpendReport>(
    pathWith(spendOf, { from, tz: timeZone, group_by: "key", limit: "1000", team: team ?? "" })
  )
  const since = new Date(hour - WEEK_MS).toISOString()
  const failed = useQuery<{ readonly data: ReadonlyArray<Receipt> }>(
    pathWith("requests", { status: "failed", from: since, limit: MOST_FAILURES, team: team ?? "" })
  )
  const rows = keys.map((key): Row => ({
    key,
    spend: spend.data && (spend.data.rows?.find((row) => row.key === key.id)?.cost_usd ?? 0),
    failure: failed.data?.data.find((one) => one.key_id === key.id)
  }))
  const shown = columns.filter(([title]) => team === undefined || title !== "Team")
  return (
    <div class="table card">
      <table>
        <thead>
          <tr>
            {shown.map(([title, by, style]) => (
              <th key={title} class={style} aria-sort={by === order ? "descending" : undefined}>
                {by === undefined ? (
                  title
                ) : (
                  <button class="sort" onClick={() => setOrder(by)}>
                    {title}
                    {by === order ? " ↓" : ""}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toSorted(orders[order]).map((row) => (
            <KeyRow key={row.key.id} row={row} hasTeam={team === undefined} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const KeyRow = ({ hasTeam, row: { failure, key, spend } }: { readonly row: Row; readonly hasTeam: boolean }) => (
  <tr>
    <td>
      <Link to={`keys/${key.id}`}>
        {key.name === null ? <span class="mono">{key.id}</span> : <Name of={key.name} />}
      </Link>
    </td>
    <td>
      <Badge tone={statusTone(key.status)}>{words(key.status)}</Badge>
    </td>
    {!hasTeam ? null : (
      <td>
        {key.team === null ? (
          "–"
        ) : (
          <Link to={`teams/${encodeURIComponent(key.team)}`}>
            <Name of={key.team} />
          </Link>
        )}
      </td>
    )}
    <td class="mono wide-only">{key.models.length === 0 ? "all" : <Name of={key.models.join(", ")} />}</td>
    <td class="used">
      <Fullest budgets={key.budgets} />
    </td>
    <td class="number">{spend === undefined ? "…" : usd(spend)}</td>
    <td>
      {failure === undefined ? (
        "–"
      ) : (
        <Link to={`requests/${failure.id}`}>
          {words(failure.attempts.at(-1)?.outcome ?? "failed")} · {moment(failure.at)}
        </Link>
      )}
    </td>
    <td>{key.last_used_at === null ? "never" : moment(key.last_used_at)}</td>
    <td class="wide-only">{moment(key.created_at)}</td>
  </tr>
)
