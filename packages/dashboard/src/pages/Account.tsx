/** What is one's own: budgets, spend of this month, and personal keys. */
import type { Key, Me, SpendReport } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../api/Query.ts"
import { count, usd } from "../Format.ts"
import { Answer, Card, Empty, Head, Link, Name } from "../parts/Parts.tsx"
import { Spark } from "../parts/Spark.tsx"
import { pathWith, type Place } from "../Place.ts"
import { timeZone } from "../Zone.ts"
import { NewKey } from "./keys/KeyForm.tsx"
import { BudgetLine } from "./keys/KeyPage.tsx"
import { KeyTable } from "./keys/KeyTable.tsx"

export const Account = ({ me, place }: { readonly me: Me; readonly place: Place }) => {
  const after = place.query.get("after") ?? ""
  const keys = useQuery<{ readonly data: ReadonlyArray<Key>; readonly next: string | null }>(
    pathWith("me/keys", { limit: "100", after })
  )
  const own = useQuery<Me>("me")
  const [isMaking, setMaking] = useState(false)
  const teams = me.teams.flatMap(({ personal_keys, team }) => (personal_keys === undefined ? [] : [team]))
  return (
    <>
      <Head title="My account">
        {teams.length === 0 ? null : (
          <button class="primary" onClick={() => setMaking(true)}>
            New key
          </button>
        )}
      </Head>
      <div class="columns">
        <Card title="Budgets">
          <Answer query={own}>{(found) => <Budgets of={found} />}</Answer>
        </Card>
        <Card title="Spend this month">
          <Spent />
        </Card>
      </div>
      <h2>My keys</h2>
      <Answer query={keys}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Empty title="You have no personal key.">
                {teams.length > 0 ? null : <p class="muted">None of your teams allows its members to make keys.</p>}
              </Empty>
            ) : (
              <KeyTable keys={data} spendOf="me/spend" />
            )}
            {next === null ? null : (
              <p>
                <Link to={pathWith("account", { after: next })}>Load older keys</Link>
              </p>
            )}
          </>
        )}
      </Answer>
      {isMaking ? (
        <NewKey
          teams={teams}
          close={() => {
            setMaking(false)
            keys.reload()
          }}
        />
      ) : null}
    </>
  )
}

const Budgets = ({ of: { email, role, teams } }: { readonly of: Me }) => (
  <>
    <p class="muted">{[email, role].filter((one) => one !== null).join(", ")}</p>
    {teams.length === 0 ? <p class="muted">You have no role in a team.</p> : null}
    {teams.map(({ budgets = [], role: its, team }) => (
      <div key={team}>
        <p>
          <b>
            <Name of={team} />
          </b>
          {`: ${its === "admin" ? "team admin" : "member"}`}
        </p>
        {budgets.map((budget) => (
          <BudgetLine key={`${budget.window} ${budget.time_zone}`} budget={budget} />
        ))}
      </div>
    ))}
  </>
)

const Spent = () => {
  const byDay = useQuery<SpendReport>(pathWith("me/spend", { tz: timeZone, group_by: "day" }))
  const byModel = useQuery<SpendReport>(pathWith("me/spend", { tz: timeZone, group_by: "model", limit: "10" }))
  return (
    <>
      <Answer query={byDay}>
        {({ rows = [], total }) => {
          const days = rows.toSorted((a, b) => (a.day ?? "").localeCompare(b.day ?? ""))
          return (
            <p>
              {`${usd(total.cost_usd)} for ${count(total.requests)} requests `}
              <Spark kind="bars" values={days.map(({ cost_usd }) => cost_usd)} label="Spend by day" />
            </p>
          )
        }}
      </Answer>
      <Answer query={byModel}>
        {({ rows = [] }) => (
          <dl class="facts">
            {rows.map(({ cost_usd, model }) => (
              <>
                <dt>
                  <Name of={model ?? ""} />
                </dt>
                <dd>{usd(cost_usd)}</dd>
              </>
            ))}
          </dl>
        )}
      </Answer>
    </>
  )
}
