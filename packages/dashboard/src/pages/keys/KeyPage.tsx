/** One key: what it may do, what is left of it, and how to change or end it. */
import type { Budget, IssuedKey, Key } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { count, dateAndTime, percent, usd, words } from "../../Format.ts"
import { Answer, Badge, Card, Dialog, Failure, Head, Link, Meter, Name, statusTone } from "../../parts/Parts.tsx"
import { Scopes } from "../../parts/Scopes.tsx"
import { Secret } from "../../parts/Secret.tsx"
import { EditKey } from "./KeyForm.tsx"
import { KeyTraffic } from "./KeyTraffic.tsx"

type Asked = "edit" | "rotate" | "revoke" | undefined

export const KeyPage = ({ id }: { readonly id: string }) => {
  const path = `keys/${encodeURIComponent(id)}`
  const query = useQuery<Key>(path)
  const [asked, setAsked] = useState<Asked>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const finish = () => {
    setAsked(undefined)
    query.reload()
  }
  const key = query.data
  const isEnded = key?.status === "revoked"
  const setDisabled = (disabled: boolean) => {
    call("PATCH", path, { disabled })
      .then(finish)
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <>
      <Head title={key?.name ?? id}>
        {key === undefined || isEnded ? null : (
          <>
            <button onClick={() => setAsked("edit")}>Edit</button>
            <button onClick={() => setDisabled(key.status !== "disabled")}>
              {key.status === "disabled" ? "Enable" : "Disable"}
            </button>
            <button onClick={() => setAsked("rotate")}>Rotate</button>
            <button class="danger" onClick={() => setAsked("revoke")}>
              Revoke
            </button>
          </>
        )}
      </Head>
      {error === undefined ? null : <Failure error={error} />}
      <Answer query={query}>
        {(found) => (
          <>
            <Details of={found} />
            <Scopes of={found} />
          </>
        )}
      </Answer>
      <KeyTraffic id={id} />
      {asked === "edit" && key !== undefined ? <EditKey of={key} close={finish} /> : null}
      {asked === "rotate" ? <Rotate path={path} close={finish} /> : null}
      {asked === "revoke" && key !== undefined ? (
        <Revoke path={path} id={id} name={key.name ?? key.id} close={finish} />
      ) : null}
    </>
  )
}

const Details = ({ of: key }: { readonly of: Key }) => (
  <div class="columns">
    <Card title="Key">
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Badge tone={statusTone(key.status)}>{words(key.status)}</Badge>
        </dd>
        <dt>ID</dt>
        <dd class="mono">{key.id}</dd>
        <dt>Team</dt>
        <dd>
          {key.team === null ? (
            "none"
          ) : (
            <Link to={`teams/${encodeURIComponent(key.team)}`}>
              <Name of={key.team} />
            </Link>
          )}
        </dd>
        <dt>Models</dt>
        <dd class="mono">{key.models.length === 0 ? "all" : key.models.join(", ")}</dd>
        <dt>Tags</dt>
        <dd>{key.tags.length === 0 ? "none" : key.tags.join(", ")}</dd>
        <dt>Created</dt>
        <dd>{dateAndTime(key.created_at)}</dd>
        <dt>Last used</dt>
        <dd>{dateAndTime(key.last_used_at)}</dd>
        <dt>Expires</dt>
        <dd>{dateAndTime(key.expires_at)}</dd>
      </dl>
    </Card>
    <Card title="Limits and budgets">
      <dl class="facts">
        <dt>Requests per minute</dt>
        <dd>{limit(key.limits.rpm)}</dd>
        <dt>Tokens per minute</dt>
        <dd>{limit(key.limits.tpm)}</dd>
        <dt>Parallel requests</dt>
        <dd>{limit(key.limits.max_parallel)}</dd>
        <dt>Regions</dt>
        <dd>{key.require.region.length === 0 ? "any" : key.require.region.join(", ")}</dd>
        <dt>Zero data retention</dt>
        <dd>{key.require.zdr ? "required" : "not required"}</dd>
        <dt>Fields of unknown cost</dt>
        <dd>{key.unknown_fields === "pass" ? "passed on" : "removed under a budget"}</dd>
      </dl>
      {key.budgets.length === 0 ? <p class="muted">This key has no budget.</p> : null}
      {key.budgets.map((budget) => (
        <BudgetLine key={`${budget.window} ${budget.time_zone}`} budget={budget} />
      ))}
    </Card>
  </div>
)

const limit = (value: number | null): string => (value === null ? "no limit" : count(value))

export const BudgetLine = ({ budget }: { readonly budget: Budget }) => {
  const share = budget.spent_usd / budget.usd
  return (
    <div class="budget">
      <p>
        <b>{usd(budget.usd)}</b> {budget.window === "total" ? "in total" : `per ${budget.window}`} ({budget.time_zone})
      </p>
      <Meter share={share} label={`${percent(share)} spent`} />
      <p class="muted">
        {`${usd(budget.spent_usd)} spent, ${usd(budget.reserved_usd)} reserved by requests in flight, ${usd(budget.remaining_usd)} left`}
        {budget.resets_at === null ? "" : `; resets ${dateAndTime(budget.resets_at)}`}
      </p>
    </div>
  )
}

const Rotate = (props: { readonly path: string; readonly close: () => void }) => {
  const [made, setMade] = useState<IssuedKey | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Dialog title={made === undefined ? "A new secret for this key" : "The new secret"} close={props.close}>
      {made === undefined ? (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault()
            const grace = Number(new FormData(event.currentTarget).get("grace"))
            call<IssuedKey>("POST", `${props.path}/rotate`, { grace_seconds: grace })
              .then(setMade)
              .catch((cause: unknown) => setError(asApiError(cause)))
          }}
        >
          <label>
            The old secret works
            <select name="grace">
              <option value="3600">for another hour</option>
              <option value="86400">for another day</option>
              <option value="0">no longer</option>
            </select>
          </label>
          {error === undefined ? null : <Failure error={error} />}
          <p class="end">
            <button type="button" onClick={props.close}>
              Cancel
            </button>
            <button class="primary">Rotate</button>
          </p>
        </form>
      ) : (
        <>
          <Secret secret={made.key} />
          <p class="end">
            <button class="primary" onClick={props.close}>
              Done
            </button>
          </p>
        </>
      )}
    </Dialog>
  )
}

/** What a field of one line can't hold, or nobody sees, makes no difference. */
const plain = (text: string): string => text.replaceAll(/[\s\p{Cf}]+/gu, " ").trim()

const Revoke = (props: {
  readonly path: string
  readonly id: string
  readonly name: string
  readonly close: () => void
}) => {
  const [typed, setTyped] = useState("")
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Dialog title={`Revoke ${props.name}`} close={props.close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          call("DELETE", props.path)
            .then(props.close)
            .catch((cause: unknown) => setError(asApiError(cause)))
        }}
      >
        <p>Every later request with this key is refused. This can't be undone. Its spend stays in the ledger.</p>
        <label>
          <span>
            Type <bdi>{props.name}</bdi> to go on
          </span>
          <input value={typed} autocomplete="off" autofocus onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        {error === undefined ? null : <Failure error={error} />}
        <p class="end">
          <button type="button" onClick={props.close}>
            Cancel
          </button>
          <button class="danger" disabled={![props.name, props.id].some((one) => plain(one) === plain(typed))}>
            Revoke
          </button>
        </p>
      </form>
    </Dialog>
  )
}
