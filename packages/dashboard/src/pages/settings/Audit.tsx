/** Every change through the admin API: who, what, when, from where. The filters are in the address. */
import type { AuditEntry, AuditPage } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/Query.ts"
import { time } from "../../Format.ts"
import { Answer, Empty, Head, Link } from "../../parts/Parts.tsx"
import { go, pathWith, type Place } from "../../Place.ts"

const PAGE = "settings/audit"

export const Audit = ({ place }: { readonly place: Place }) => {
  const of = (name: string) => place.query.get(name) ?? ""
  const filters = { actor: of("actor"), action: of("action"), target: of("target") }
  const query = useQuery<AuditPage>(pathWith("audit", { ...filters, limit: "100", after: of("after") }))
  const show = (given: Record<string, string>) => go(pathWith(PAGE, { ...filters, ...given }), { replace: true })
  return (
    <>
      <Head title="Audit log" />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="ID or name of the changed object"
          placeholder="Object: ID or name"
          value={filters.target}
          onChange={(event) => show({ target: event.currentTarget.value.trim() })}
        />
        <input
          aria-label="Action"
          placeholder="Action, such as keys.create"
          value={filters.action}
          onChange={(event) => show({ action: event.currentTarget.value.trim() })}
        />
        <input
          aria-label="Who"
          placeholder="Actor: ID or master_key"
          value={filters.actor}
          onChange={(event) => show({ actor: event.currentTarget.value.trim() })}
        />
      </form>
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? <Empty title="No entry matches." /> : <AuditTable entries={data} isCard />}
            {next === null ? null : (
              <p>
                <Link to={pathWith(PAGE, { ...filters, after: String(next) })}>Load older entries</Link>
              </p>
            )}
          </>
        )}
      </Answer>
    </>
  )
}

export const AuditTable = (props: { readonly entries: ReadonlyArray<AuditEntry>; readonly isCard?: boolean }) => (
  <div class={props.isCard === true ? "table card" : "table"}>
    <table>
      <thead>
        <tr>
          <th>Time</th>
          <th>Who</th>
          <th>From</th>
          <th>Did</th>
          <th>To</th>
          <th>What changed</th>
        </tr>
      </thead>
      <tbody>
        {props.entries.map((one) => (
          <tr key={one.id}>
            <td>
              <time dateTime={one.at} title={one.at}>
                {time(one.at)}
              </time>
            </td>
            <td class={one.actor.name === null ? "mono" : undefined} title={one.actor.id}>
              {one.actor.name ?? one.actor.id}
            </td>
            <td class="mono">{one.actor.address ?? "–"}</td>
            <td class="mono">{one.action}</td>
            <td class="mono">{one.target ?? "–"}</td>
            <td class="wraps">
              <Change of={one} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** Which it is stands beside it, and when too. */
const untold = new Set(["object", "id", "updated_at"])

/** The fields that differ, before and after. */
const differences = ({ after, before }: AuditEntry): ReadonlyArray<string> => {
  const [was, is] = [asObject(before), asObject(after)]
  const text = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value))
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => !untold.has(name) && text(was[name]) !== text(is[name]))
    .map((name) => (before === null ? `${name} ${text(is[name])}` : `${name} ${text(was[name])} → ${text(is[name])}`))
}

const Change = ({ of }: { readonly of: AuditEntry }) => {
  const [isOpen, setOpen] = useState(false)
  const all = differences(of)
  if (of.after === null && of.before !== null) return <>deleted</>
  if (all.length === 0) return <>–</>
  return (
    <>
      <span class="mono">{(isOpen ? all : all.slice(0, 2)).join("; ")}</span>{" "}
      {all.length <= 2 || isOpen ? null : (
        <button aria-label={`All that changed in ${of.target ?? of.action}`} onClick={() => setOpen(true)}>
          {`${all.length - 2} more`}
        </button>
      )}
    </>
  )
}
