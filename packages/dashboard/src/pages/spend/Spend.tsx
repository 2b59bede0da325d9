/** Who spent how much: end users, sessions, models, keys and teams, in a span of time. */
import type { BudgetUse, SpendReport, SpendRow } from "@model-gateway/protocol"
import { open } from "../../api/Api.ts"
import { useQuery } from "../../api/Query.ts"
import { count, exactUsd, percent, short, usd } from "../../Format.ts"
import { BudgetTable } from "../../parts/Budgets.tsx"
import { Answer, Card, Empty, Head, Link, Name } from "../../parts/Parts.tsx"
import { Save } from "../../parts/Save.tsx"
import { ranges, type RangeName, useSpan } from "../../parts/Span.ts"
import { go, pathWith, type Place } from "../../Place.ts"

const MOST_ROWS = 1000

const groups = [
  ["end_user", "End user"],
  ["session", "Session"],
  ["client", "Client"],
  ["user", "Person"],
  ["model", "Model"],
  ["key", "Key"],
  ["team", "Team"]
] as const

type Group = (typeof groups)[number][0]

/** Fields that narrow the report. */
const filters = [
  ["end_user", "End user"],
  ["session", "Session"],
  ["team", "Team"],
  ["model", "Model"]
] as const

export const Spend = ({ place: { query } }: { readonly place: Place }) => {
  const range: RangeName = Object.keys(ranges).find((name): name is RangeName => name === query.get("range")) ?? "30d"
  const [group, title] = groups.find(([name]) => name === query.get("by")) ?? groups[0]
  const { from, tz } = useSpan(range)
  // Sums are kept of end users, and of sessions: a list of sessions cannot be narrowed to an end user.
  const other = group === "end_user" ? "session" : group === "session" ? "end_user" : undefined
  const fields = filters.filter(([name]) => name !== other)
  const given = Object.fromEntries(fields.map(([name]) => [name, query.get(name) ?? undefined]))
  const asked = { from, tz, group_by: group, ...given, limit: String(MOST_ROWS) }
  const report = useQuery<SpendReport>(pathWith("spend", asked))
  const shown = { range, by: group, ...given }
  return (
    <>
      <Head title="Spend">
        <div class="segments" role="group" aria-label="Period">
          {Object.keys(ranges).map((name) => (
            <Link key={name} to={pathWith("spend", { ...shown, range: name })} current={name === range}>
              {name}
            </Link>
          ))}
        </div>
        <Save
          name="spend.csv"
          text={async () => (await open("GET", pathWith("spend", { ...asked, format: "csv" }))).text()}
        />
      </Head>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <select
          aria-label="Group by"
          value={group}
          onChange={(event) => go(pathWith("spend", { ...shown, by: event.currentTarget.value }), { replace: true })}
        >
          {groups.map(([name, label]) => (
            <option key={name} value={name}>{`by ${label.toLowerCase()}`}</option>
          ))}
        </select>
        {fields.map(([name, label]) => (
          <input
            key={name}
            type="text"
            aria-label={label}
            placeholder={label}
            value={given[name] ?? ""}
            onChange={(event) =>
              go(pathWith("spend", { ...shown, [name]: event.currentTarget.value.trim() }), { replace: true })
            }
          />
        ))}
      </form>
      <Answer query={report}>
        {({ has_more, rows = [], total }) => (
          <>
            <p>{`${usd(total.cost_usd)} for ${count(total.requests)} requests in all.`}</p>
            {total.cache_hits === undefined ? null : (
              <p>{`The response cache gave ${percent(total.cache_hits / total.requests)} of the responses, which saved ${usd(total.cache_saved_usd ?? 0)}.`}</p>
            )}
            {rows.length === 0 ? (
              <Empty
                title={
                  group === "end_user" || group === "session"
                    ? "No request named one."
                    : group === "user"
                      ? "No personal key was used."
                      : "No spend."
                }
              />
            ) : (
              <div class="table card">
                <table>
                  <thead>
                    <tr>
                      <th>{title}</th>
                      <th class="number">Requests</th>
                      <th class="number">Spend</th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row[group] ?? ""}>
                        <td>
                          <Named row={row} group={group} />
                        </td>
                        <td class="number">{short(row.requests)}</td>
                        <td class="number" title={exactUsd(row.cost_usd)}>
                          {usd(row.cost_usd)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {has_more ? <p class="muted">{`These are the ${count(MOST_ROWS)} most expensive.`}</p> : null}
          </>
        )}
      </Answer>
      {group === "end_user" ? <FullestEndUsers /> : null}
    </>
  )
}

/** Of those at work: the gateway remembers no others. */
const FullestEndUsers = () => {
  const query = useQuery<{ readonly data: ReadonlyArray<BudgetUse> }>("budgets?scope=end_user&limit=10")
  const budgets = query.data?.data ?? []
  if (budgets.length === 0) return null
  return (
    <Card title="Fullest budgets of the last ten minutes">
      <BudgetTable budgets={budgets} />
    </Card>
  )
}

/** A link to what there is of it. */
const Named = ({ group, row }: { readonly group: Group; readonly row: SpendRow }) => {
  const value = row[group] ?? null
  if (value === null) return <>{`no ${group}`}</>
  const name = <Name of={group === "key" ? (row.key_name ?? value) : value} />
  if (group === "key") return <Link to={`keys/${value}`}>{name}</Link>
  if (group === "team") return <Link to={`teams/${encodeURIComponent(value)}`}>{name}</Link>
  if (group === "user") return name
  return <Link to={pathWith("requests", { [group]: value })}>{name}</Link>
}
