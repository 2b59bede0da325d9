/** Teams: the limits and budgets that their keys share. */
import type { Team, TeamPage } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { count, dateAndTime } from "../Format.ts"
import { Fullest } from "../parts/Budgets.tsx"
import { LimitFields, limitsIn, textIn } from "../parts/LimitFields.tsx"
import { Answer, Dialog, Empty, Failure, Head, Link, Name } from "../parts/Parts.tsx"
import { go, pathWith, type Place } from "../Place.ts"

type Asked = { readonly what: "edit"; readonly of: Team | undefined } | { readonly what: "delete"; readonly of: Team }

export const Teams = ({ place }: { readonly place: Place }) => {
  const q = place.query.get("q") ?? ""
  const query = useQuery<TeamPage>(pathWith("teams", { limit: "100", q, after: place.query.get("after") ?? undefined }))
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const close = () => {
    setAsked(undefined)
    query.reload()
  }
  return (
    <>
      <Head title="Teams">
        <button class="primary" onClick={() => setAsked({ what: "edit", of: undefined })}>
          New team
        </button>
      </Head>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Name of a team"
          placeholder="Name"
          value={q}
          onChange={(event) => go(pathWith("teams", { q: event.currentTarget.value.trim() }), { replace: true })}
        />
      </form>
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Empty title={q === "" ? "No teams yet." : "No team matches."}>
                <p class="muted">
                  A request counts toward the limits and budgets of its key and of the key's team.{" "}
                  <code>model-gateway teams set research --budget 25/month</code> creates one, too.
                </p>
              </Empty>
            ) : (
              <div class="table card">
                <table>
                  <thead>
                    <tr>
                      <th>Team</th>
                      <th class="number">Keys</th>
                      <th>Fullest budget</th>
                      <th class="number wide-only">Requests / min</th>
                      <th class="number wide-only">Tokens / min</th>
                      <th class="number wide-only">Parallel requests</th>
                      <th class="wide-only">Changed</th>
                      <th>
                        <span class="unseen">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.map((team) => (
                      <Row key={team.team} team={team} ask={setAsked} />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {next === null ? null : (
              <p>
                <Link to={pathWith("teams", { q, after: next })}>More</Link>
              </p>
            )}
          </>
        )}
      </Answer>
      {asked?.what === "edit" ? <EditTeam of={asked.of} close={close} /> : null}
      {asked?.what === "delete" ? <Delete of={asked.of} close={close} /> : null}
    </>
  )
}

export const limit = (value: number | null): string => (value === null ? "–" : count(value))

const Row = ({ ask, team }: { readonly team: Team; readonly ask: (asked: Asked) => void }) => (
  <tr>
    <td>
      <Link to={pathOf(team.team)}>
        <Name of={team.team} />
      </Link>
    </td>
    <td class="number">{count(team.keys)}</td>
    <td class="used">
      <Fullest budgets={team.budgets} />
    </td>
    <td class="number wide-only">{limit(team.limits.rpm)}</td>
    <td class="number wide-only">{limit(team.limits.tpm)}</td>
    <td class="number wide-only">{limit(team.limits.max_parallel)}</td>
    <td class="wide-only">{team.updated_at === null ? "no limits or budgets set" : dateAndTime(team.updated_at)}</td>
    <td>
      <button aria-label={`Edit ${team.team}`} onClick={() => ask({ what: "edit", of: team })}>
        Edit
      </button>
      {team.updated_at === null ? null : (
        <button class="danger" aria-label={`Delete ${team.team}`} onClick={() => ask({ what: "delete", of: team })}>
          Delete
        </button>
      )}
    </td>
  </tr>
)

export const pathOf = (name: string): string => `teams/${encodeURIComponent(name)}`

export const EditTeam = ({ close, of }: { readonly of: Team | undefined; readonly close: () => void }) => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Dialog title={of === undefined ? "New team" : `Edit ${of.team}`} close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          call("PUT", pathOf(of?.team ?? textIn(form, "team")), limitsIn(form))
            .then(close)
            .catch((cause: unknown) => setError(asApiError(cause)))
        }}
      >
        {of !== undefined ? null : (
          <label>
            Name
            <input name="team" required autofocus placeholder="research" />
          </label>
        )}
        <LimitFields {...(of === undefined ? {} : { budgets: of.budgets, limits: of.limits })} />
        {error === undefined ? null : <Failure error={error} />}
        <p class="end">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button class="primary">{of === undefined ? "Create team" : "Save"}</button>
        </p>
      </form>
    </Dialog>
  )
}

const Delete = ({ close, of }: { readonly of: Team; readonly close: () => void }) => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const remove = (force: boolean) => {
    call("DELETE", pathWith(pathOf(of.team), force ? { force: "true" } : {}))
      .then(close)
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <Dialog title={`Delete ${of.team}`} close={close}>
      <p>Its limits and budgets no longer apply. Its spend stays in the ledger.</p>
      {error === undefined ? null : <Failure error={error} />}
      <p class="end">
        <button type="button" onClick={close}>
          Cancel
        </button>
        {error?.status === 409 ? (
          <button class="danger" onClick={() => remove(true)}>
            Delete it although keys use it
          </button>
        ) : (
          <button class="danger" onClick={() => remove(false)}>
            Delete
          </button>
        )}
      </p>
    </Dialog>
  )
}
