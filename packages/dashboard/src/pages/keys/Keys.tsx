/** All virtual keys, and new ones. */
import type { Key } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/Query.ts"
import { dateAndTime, words } from "../../Format.ts"
import { Fullest } from "../../parts/Budgets.tsx"
import { Answer, Badge, Empty, Head, Link, Name, statusTone } from "../../parts/Parts.tsx"
import { NewKey } from "./KeyForm.tsx"
import { go, pathWith, type Place } from "../../Place.ts"

export const Keys = ({ place }: { readonly place: Place }) => {
  const q = place.query.get("q") ?? ""
  const status = place.query.get("status") ?? ""
  const after = place.query.get("after") ?? undefined
  const query = useQuery<{ readonly data: ReadonlyArray<Key>; readonly next: string | null }>(
    pathWith("keys", { limit: "100", q, status, after })
  )
  const [isMaking, setMaking] = useState(false)
  const show = (given: Record<string, string | undefined>) =>
    go(pathWith("keys", { q, status, ...given }), { replace: true })
  return (
    <>
      <Head title="Keys">
        <button class="primary" onClick={() => setMaking(true)}>
          New key
        </button>
      </Head>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Id or name of a key"
          placeholder="Id or name"
          value={q}
          onChange={(event) => show({ q: event.currentTarget.value.trim() })}
        />
        <select aria-label="Status" value={status} onChange={(event) => show({ status: event.currentTarget.value })}>
          <option value="">any status</option>
          {["active", "disabled", "expired", "revoked"].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </form>
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Empty
                title={
                  q === "" && status === ""
                    ? "No key yet: callers have nothing to come in with."
                    : "No key is like that."
                }
              >
                {q === "" && status === "" ? (
                  <p class="muted">
                    <em>New key</em> above, or <code>model-gateway keys create --name ci</code>.
                  </p>
                ) : null}
              </Empty>
            ) : (
              <Table keys={data} />
            )}
            {next === null ? null : (
              <p>
                <Link to={pathWith("keys", { q, status, after: next })}>Older ones</Link>
              </p>
            )}
          </>
        )}
      </Answer>
      {isMaking ? (
        <NewKey
          close={() => {
            setMaking(false)
            query.reload()
          }}
        />
      ) : null}
    </>
  )
}

const Table = ({ keys }: { readonly keys: ReadonlyArray<Key> }) => (
  <div class="table card">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Status</th>
          <th>Team</th>
          <th>Models</th>
          <th>Fullest budget</th>
          <th>Used last</th>
          <th>Id</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <Link to={`keys/${key.id}`}>{key.name === null ? "without a name" : <Name of={key.name} />}</Link>
            </td>
            <td>
              <Badge tone={statusTone(key.status)}>{words(key.status)}</Badge>
            </td>
            <td>{key.team === null ? "–" : <Name of={key.team} />}</td>
            <td class="mono">{key.models.length === 0 ? "all" : <Name of={key.models.join(", ")} />}</td>
            <td class="used">
              <Fullest budgets={key.budgets} />
            </td>
            <td>{dateAndTime(key.last_used_at)}</td>
            <td class="mono">{key.id}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
