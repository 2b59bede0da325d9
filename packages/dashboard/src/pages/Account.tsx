/** What is one's own: budgets, spend of this month, and personal keys. */
import type { Key, Me, SignInOfMachine, SpendReport } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { count, moment, usd } from "../Format.ts"
import { Answer, Card, Empty, Failure, Head, Link, Name } from "../parts/Parts.tsx"
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
      <Machines />
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

const Machines = () => {
  const query = useQuery<{ readonly data: ReadonlyArray<SignInOfMachine> }>("me/sign-ins")
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const end = (id: string) => {
    call("DELETE", `me/sign-ins/${encodeURIComponent(id)}`)
      .catch((cause: unknown) => setError(asApiError(cause)))
      .finally(query.reload)
  }
  return (
    <Card title="Signed-in machines" aside={<Link to="device">Sign in a device</Link>}>
      {error === undefined ? null : <Failure error={error} />}
      <Answer query={query}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <p class="muted">
                None. <code>model-gateway login</code> signs a terminal in.
              </p>
            ) : null}
            {data.map(({ address, client, id, last_used_at }) => (
              <p key={id}>
                <Name of={client} /> {`from ${address ?? "no address"}, last used ${moment(last_used_at)} `}
                <button aria-label={`Sign out ${client}`} onClick={() => end(id)}>
                  Sign out
                </button>
              </p>
            ))}
          </>
        )}
      </Answer>
    </Card>
  )
}

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
