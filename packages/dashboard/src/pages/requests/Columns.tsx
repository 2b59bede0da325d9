/** What a table of requests may show, and which of it somebody wants to see. */
import type { Receipt } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { count, duration, time, usd, words } from "../../Format.ts"
import { Badge, Link, Name, statusTone } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"

/** Everything read, cached input included. */
export const tokensOf = ({ usage }: Receipt) =>
  usage.input + usage.cached_input + usage.cache_write + usage.cache_write_1h

export const firstToken = ({ attempts }: Receipt) =>
  attempts.find(({ outcome }) => outcome === "ok")?.first_token_ms ?? null

/** What the key was called then, else its id. */
export const KeyLink = ({ one: { key_id, key_name } }: { readonly one: Pick<Receipt, "key_id" | "key_name"> }) =>
  key_id === "" ? (
    <span class="muted">unknown</span>
  ) : (
    <Link to={`keys/${key_id}`} class={key_name === null ? "mono" : ""}>
      <Name of={key_name ?? key_id} />
    </Link>
  )

/** The error as a link to the others that have it, and how many requests share the receipt. */
const ErrorCell = ({ one: { error, refusal } }: { readonly one: Receipt }) =>
  error === null ? (
    <>–</>
  ) : (
    <>
      <Link to={pathWith("requests", { error })}>{words(error)}</Link>
      {refusal === null || refusal.count === 1 ? null : ` ×${count(refusal.count)}`}
    </>
  )

/** `team's day budget`. */
export const refusalOf = ({ refused_by: by }: Receipt): string | undefined =>
  by === null ? undefined : `${by.scope}'s ${by.window} budget`

export interface Column {
  readonly name: string
  readonly isNumber?: boolean
  /** Shown unless somebody says otherwise. */
  readonly isUsual?: boolean
  readonly cell: (one: Receipt) => ComponentChildren
}

const orNull = (text: string): string | null => (text === "" ? null : text)

const code = (text: string | null) => (text === null ? "–" : <Name of={text} />)

export const columns: ReadonlyArray<Column> = [
  {
    name: "Time",
    isUsual: true,
    cell: ({ at, id }) => (
      <Link to={`requests/${id}`}>
        <time dateTime={at} title={at}>
          {time(at)}
        </time>
      </Link>
    )
  },
  {
    name: "Status",
    isUsual: true,
    cell: (one) => (
      <>
        <Badge tone={statusTone(one.status)}>{words(one.status)}</Badge>
        {one.refused_by === null ? null : (
          <span class="muted" title={refusalOf(one)}>{` ${one.refused_by.window} budget`}</span>
        )}
      </>
    )
  },
  { name: "Error", isUsual: true, cell: (one) => <ErrorCell one={one} /> },
  { name: "Key", isUsual: true, cell: (one) => <KeyLink one={one} /> },
  { name: "Requested model", isUsual: true, cell: ({ requested_model }) => code(requested_model) },
  { name: "Served by", isUsual: true, cell: ({ decision }) => code(orNull(decision.deployment)) },
  {
    name: "Bucket",
    isUsual: true,
    cell: ({ decision: { bucket, score } }) => (bucket === "none" ? "–" : `${bucket} ${score.toFixed(2)}`)
  },
  { name: "Attempts", isNumber: true, isUsual: true, cell: ({ attempts }) => attempts.length },
  { name: "1st token", isNumber: true, isUsual: true, cell: (one) => duration(firstToken(one)) },
  { name: "Duration", isNumber: true, isUsual: true, cell: ({ duration_ms }) => duration(duration_ms) },
  {
    name: "Tokens in, out",
    isNumber: true,
    cell: (one) => `${count(tokensOf(one))}, ${count(one.usage.output + one.usage.reasoning)}`
  },
  { name: "Cost", isNumber: true, isUsual: true, cell: ({ cost_usd }) => usd(cost_usd) },
  { name: "Key ID", cell: ({ key_id }) => code(orNull(key_id)) },
  {
    name: "Team",
    cell: ({ team }) =>
      team === null ? (
        "–"
      ) : (
        <Link to={pathWith("requests", { team })}>
          <Name of={team} />
        </Link>
      )
  },
  { name: "Endpoint", cell: ({ endpoint }) => code(endpoint) },
  { name: "Stream", cell: ({ stream }) => (stream ? "yes" : "no") },
  { name: "Tags", cell: ({ tags }) => (tags.length === 0 ? "–" : <Name of={tags.join(", ")} />) },
  {
    name: "Session",
    cell: ({ session_id }) => code(session_id)
  },
  {
    name: "Baseline",
    isNumber: true,
    cell: ({ baseline_usd }) => (baseline_usd === null ? "–" : usd(baseline_usd))
  },
  { name: "Feedback", isNumber: true, cell: ({ feedback }) => (feedback === null ? "–" : feedback.score) },
  { name: "Receipt", cell: ({ id }) => code(id) }
]

const KEPT = "model-gateway-columns"

const usual: ReadonlyArray<string> = columns.filter(({ isUsual }) => isUsual).map(({ name }) => name)

/** Those of the browser; names of an older version that mean nothing any more are no columns. */
const kept = (): ReadonlyArray<string> => {
  const text = localStorage.getItem(KEPT)
  return text === null ? usual : text.split("\n")
}

export const useColumns = () => {
  const [names, setNames] = useState(kept)
  const choose = (chosen: ReadonlyArray<string>) => {
    localStorage.setItem(KEPT, chosen.join("\n"))
    setNames(chosen)
  }
  const shown = columns.filter(({ name }, index) => index === 0 || names.includes(name))
  return { shown, choose }
}

export const ColumnChoice = (props: {
  readonly shown: ReadonlyArray<Column>
  readonly choose: (names: ReadonlyArray<string>) => void
}) => {
  const names = props.shown.map(({ name }) => name)
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset>
        <legend class="unseen">Visible columns</legend>
        {columns.slice(1).map(({ name }) => (
          <label key={name} class="inline">
            <input
              type="checkbox"
              checked={names.includes(name)}
              onChange={(event) =>
                props.choose(event.currentTarget.checked ? [...names, name] : names.filter((one) => one !== name))
              }
            />
            {name}
          </label>
        ))}
        <button type="button" onClick={() => props.choose(usual)}>
          Default columns
        </button>
      </fieldset>
    </details>
  )
}
