/** People who sign in, their roles, and whether they may. */
import type { User, UserPage } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { time } from "../../Format.ts"
import { Answer, Empty, Failure, Head, Link } from "../../parts/Parts.tsx"
import { go, pathWith, type Place } from "../../Place.ts"

const PAGE = "settings/people"

export const People = ({ mayChange, place }: { readonly mayChange: boolean; readonly place: Place }) => {
  const q = place.query.get("q") ?? ""
  const query = useQuery<UserPage>(pathWith("users", { q, limit: "100", after: place.query.get("after") ?? "" }))
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const change = (user: User, body: object) => {
    call("PATCH", `users/${encodeURIComponent(user.id)}`, body)
      .then(() => setError(undefined))
      .catch((cause: unknown) => setError(asApiError(cause)))
      .finally(query.reload)
  }
  return (
    <>
      <Head title="People" />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="ID, name or e-mail"
          placeholder="ID, name or e-mail"
          value={q}
          onChange={(event) => go(pathWith(PAGE, { q: event.currentTarget.value.trim() }), { replace: true })}
        />
      </form>
      {error === undefined ? null : <Failure error={error} />}
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No person has signed in with an identity provider." />
            ) : (
              <Table people={data} change={mayChange ? change : undefined} />
            )}
            {next === null ? null : (
              <p>
                <Link to={pathWith(PAGE, { q, after: next })}>Load more</Link>
              </p>
            )}
          </>
        )}
      </Answer>
    </>
  )
}

const Table = (props: {
  readonly people: ReadonlyArray<User>
  readonly change: ((user: User, body: object) => void) | undefined
}) => (
  <div class="table card">
    <table>
      <thead>
        <tr>
          <th>Person</th>
          <th>Roles</th>
          <th>Status</th>
          <th>Last sign-in</th>
          <th>
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.people.map((user) => (
          <tr key={user.id}>
            <td>
              {user.name ?? user.email ?? user.id}
              <br />
              <span class="muted">{user.email ?? user.id}</span>
            </td>
            <td class="wraps">
              {user.roles
                .map(({ role, source, team }) => `${role}${team === null ? "" : ` in ${team}`} (${source})`)
                .join(", ") || "none"}
            </td>
            <td>{user.status}</td>
            <td>{time(user.last_seen_at)}</td>
            <td>
              {props.change === undefined || user.status === "erased" ? null : (
                <button
                  aria-label={`${user.status === "active" ? "Disable" : "Enable"} ${user.name ?? user.id}`}
                  onClick={() => props.change?.(user, { status: user.status === "active" ? "disabled" : "active" })}
                >
                  {user.status === "active" ? "Disable" : "Enable"}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
