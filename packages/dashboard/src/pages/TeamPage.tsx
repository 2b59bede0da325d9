/** One team: its limits and budgets, and its keys. */
import type { Key, Team } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../api/Query.ts"
import { count, dateAndTime } from "../Format.ts"
import { Answer, Card, Empty, Head, Link, Name } from "../parts/Parts.tsx"
import { Scopes } from "../parts/Scopes.tsx"
import { pathWith } from "../Place.ts"
import { BudgetLine } from "./keys/KeyPage.tsx"
import { KeyTable } from "./keys/KeyTable.tsx"
import { PersonalKeys } from "./PersonalKeys.tsx"
import { EditTeam, limit, pathOf } from "./Teams.tsx"

export const TeamPage = ({ name }: { readonly name: string }) => {
  const query = useQuery<Team>(pathOf(name))
  const keys = useQuery<{ readonly data: ReadonlyArray<Key>; readonly has_more: boolean }>(
    pathWith("keys", { team: name, limit: "1000" })
  )
  const [isEdited, setEdited] = useState(false)
  const close = () => {
    setEdited(false)
    query.reload()
  }
  return (
    <>
      <Head title={name}>
        <Link to={pathWith("requests", { team: name })}>Requests</Link>
        <Link to={pathWith("spend", { team: name })}>Spend</Link>
        {query.data === undefined ? null : <button onClick={() => setEdited(true)}>Edit</button>}
      </Head>
      <Answer query={query}>
        {(team) => (
          <>
            <Details of={team} />
            <PersonalKeys team={name} />
            <Scopes of={team} />
          </>
        )}
      </Answer>
      <h2>Keys</h2>
      <Answer query={keys}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 ? <Empty title="No key names this team." /> : <KeyTable keys={data} team={name} />}
            {has_more ? <p class="muted">These are the newest 1,000.</p> : null}
          </>
        )}
      </Answer>
      {isEdited && query.data !== undefined ? <EditTeam of={query.data} close={close} /> : null}
    </>
  )
}

const Details = ({ of: team }: { readonly of: Team }) => (
  <div class="columns">
    <Card title="Team">
      <dl class="facts">
        <dt>Name</dt>
        <dd>
          <Name of={team.team} />
        </dd>
        <dt>Keys</dt>
        <dd>{count(team.keys)}</dd>
        <dt>Requests per minute</dt>
        <dd>{limit(team.limits.rpm)}</dd>
        <dt>Tokens per minute</dt>
        <dd>{limit(team.limits.tpm)}</dd>
        <dt>Parallel requests</dt>
        <dd>{limit(team.limits.max_parallel)}</dd>
        <dt>Limits and budgets set</dt>
        <dd>{dateAndTime(team.updated_at)}</dd>
      </dl>
    </Card>
    <Card title="Budgets">
      {team.budgets.length === 0 ? <p class="muted">It has no budget.</p> : null}
      {team.budgets.map((budget) => (
        <BudgetLine key={`${budget.window} ${budget.time_zone}`} budget={budget} />
      ))}
    </Card>
  </div>
)
