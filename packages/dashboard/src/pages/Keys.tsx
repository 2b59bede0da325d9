/** All virtual keys, and new ones. */
import type { IssuedKey, Key } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { dateAndTime, percent, usd, words } from "../Format.ts"
import { Answer, Badge, Dialog, Empty, Failure, Head, Link, Meter, statusTone } from "../parts/Parts.tsx"
import { Secret } from "../parts/Secret.tsx"
import { go, pathWith, type Place } from "../Place.ts"

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
              />
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
              <Link to={`keys/${key.id}`}>{key.name ?? "without a name"}</Link>
            </td>
            <td>
              <Badge tone={statusTone(key.status)}>{words(key.status)}</Badge>
            </td>
            <td>{key.team ?? "–"}</td>
            <td class="mono">{key.models.length === 0 ? "all" : key.models.join(", ")}</td>
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

const Fullest = ({ budgets }: Pick<Key, "budgets">) => {
  const [fullest] = budgets.toSorted((a, b) => b.spent_usd / b.usd - a.spent_usd / a.usd)
  if (fullest === undefined) return <>no budget</>
  const share = fullest.spent_usd / fullest.usd
  return (
    <>
      <Meter share={share} label={`${percent(share)} used`} />{" "}
      {`${usd(fullest.spent_usd)} of ${usd(fullest.usd)} / ${fullest.window}`}
    </>
  )
}

/** The fields of the form that say something, as the API takes them. */
const wanted = (form: FormData): object => {
  const text = (name: string) => String(form.get(name) ?? "").trim()
  const number = (name: string) => (text(name) === "" ? undefined : Number(text(name)))
  const models = text("models")
    .split(/[\s,]+/)
    .filter((one) => one !== "")
  const usd = number("budget")
  const rpm = number("rpm")
  return {
    ...(text("name") === "" ? {} : { name: text("name") }),
    ...(text("team") === "" ? {} : { team: text("team") }),
    ...(models.length === 0 ? {} : { models }),
    ...(rpm === undefined ? {} : { limits: { rpm } }),
    ...(usd === undefined
      ? {}
      : {
          budgets: [{ usd, window: text("window"), time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone }]
        })
  }
}

const NewKey = ({ close }: { readonly close: () => void }) => {
  const [made, setMade] = useState<IssuedKey | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  if (made !== undefined) {
    return (
      <Dialog title="The new key" close={close}>
        <Secret secret={made.key} />
        <p class="end">
          <button class="primary" onClick={close}>
            I have it
          </button>
        </p>
      </Dialog>
    )
  }
  return (
    <Dialog title="New key" close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          call<IssuedKey>("POST", "keys", wanted(new FormData(event.currentTarget)))
            .then(setMade)
            .catch((cause: unknown) => setError(asApiError(cause)))
        }}
      >
        <label>
          Name
          <input name="name" autofocus placeholder="ci" />
        </label>
        <label>
          Team
          <input name="team" placeholder="none" />
        </label>
        <label>
          Models it may use
          <input name="models" placeholder="all, or: auto, openai/*" />
        </label>
        <label>
          Requests per minute
          <input name="rpm" type="number" min="1" placeholder="no limit" />
        </label>
        <div class="pair">
          <label>
            Budget, USD
            <input name="budget" type="number" min="0" step="any" placeholder="no budget" />
          </label>
          <label>
            in each
            <select name="window">
              {["month", "week", "day", "hour", "total"].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        </div>
        {error === undefined ? null : <Failure error={error} />}
        <p class="end">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button class="primary">Make the key</button>
        </p>
      </form>
    </Dialog>
  )
}
