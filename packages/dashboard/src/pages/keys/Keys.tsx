/** All virtual keys, and new ones. */
import type { Key } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/Query.ts"
import { Answer, Empty, Head, Link } from "../../parts/Parts.tsx"
import { TeamField } from "../../parts/TeamField.tsx"
import { NewKey } from "./KeyForm.tsx"
import { KeyTable } from "./KeyTable.tsx"
import { go, pathWith, type Place } from "../../Place.ts"

/** Keys that are sorted together. */
const PAGE = "1000"

export const Keys = ({ place }: { readonly place: Place }) => {
  const q = place.query.get("q") ?? ""
  const status = place.query.get("status") ?? ""
  const team = place.query.get("team") ?? ""
  const after = place.query.get("after") ?? undefined
  const query = useQuery<{ readonly data: ReadonlyArray<Key>; readonly next: string | null }>(
    pathWith("keys", { limit: PAGE, q, status, team, after })
  )
  const [isMaking, setMaking] = useState(false)
  const isAll = q === "" && status === "" && team === ""
  const show = (given: Record<string, string | undefined>) =>
    go(pathWith("keys", { q, status, team, ...given }), { replace: true })
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
          aria-label="ID or name of a key"
          placeholder="ID or name"
          value={q}
          onChange={(event) => show({ q: event.currentTarget.value.trim() })}
        />
        <select aria-label="Status" value={status} onChange={(event) => show({ status: event.currentTarget.value })}>
          <option value="">any status</option>
          {["active", "disabled", "suspended", "expired", "revoked"].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <TeamField
          label="Team"
          placeholder="any team"
          value={team}
          onChange={(event) => show({ team: event.currentTarget.value.trim() })}
        />
      </form>
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Empty title={isAll ? "No keys yet. Create one to let clients connect." : "No key matches."}>
                {isAll ? (
                  <p class="muted">
                    <em>New key</em> above, or <code>model-gateway keys create --name ci</code>.
                  </p>
                ) : null}
              </Empty>
            ) : (
              <KeyTable keys={data} />
            )}
            {next === null ? null : (
              <p>
                <Link to={pathWith("keys", { q, status, team, after: next })}>Load older keys</Link>
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
