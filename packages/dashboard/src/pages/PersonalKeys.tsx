/** What the members of a team may do with keys of their own. */
import type { TeamPolicy } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { count } from "../Format.ts"
import { LimitFields, limitsIn, listIn, textIn } from "../parts/LimitFields.tsx"
import { Card, Dialog, Failure } from "../parts/Parts.tsx"
import { limit, pathOf } from "./Teams.tsx"

type Policy = TeamPolicy["personal_keys"]

const DAY = 86_400
/** As the API has it where nothing is said. */
const MOST_KEYS = 5

const days = ({ max_lifetime_seconds: seconds }: Policy): string => (seconds === null ? "" : String(seconds / DAY))

export const PersonalKeys = ({ team }: { readonly team: string }) => {
  const query = useQuery<TeamPolicy>(`${pathOf(team)}/policy`)
  const [isEdited, setEdited] = useState(false)
  if (query.data === undefined) return null
  const policy = query.data.personal_keys
  const close = () => {
    setEdited(false)
    query.reload()
  }
  return (
    <Card title="Personal keys">
      <dl class="facts">
        <dt>Members may make keys</dt>
        <dd>{policy.enabled ? `yes, ${count(policy.max_keys)} each` : "no"}</dd>
        <dt>Allowed models</dt>
        <dd>{policy.models.length === 0 ? "all" : policy.models.join(", ")}</dd>
        <dt>Longest lifetime</dt>
        <dd>{days(policy) === "" ? "–" : `${days(policy)} days`}</dd>
        <dt>Requests per minute, each member</dt>
        <dd>{limit(policy.limits.rpm)}</dd>
        <dt>Budgets, each member</dt>
        <dd>{policy.budgets.map(({ usd, window }) => `$${usd} per ${window}`).join(", ") || "–"}</dd>
      </dl>
      <p class="end">
        <button onClick={() => setEdited(true)}>Edit the policy</button>
      </p>
      {isEdited ? <EditPolicy team={team} of={policy} close={close} /> : null}
    </Card>
  )
}

const EditPolicy = (props: { readonly team: string; readonly of: Policy; readonly close: () => void }) => {
  const { close, of, team } = props
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const wanted = (form: FormData) => ({
    enabled: form.get("enabled") !== null,
    max_keys: Number(textIn(form, "max_keys") || MOST_KEYS),
    max_lifetime_seconds: textIn(form, "days") === "" ? null : Math.round(Number(textIn(form, "days")) * DAY),
    models: listIn(form, "models"),
    ...limitsIn(form)
  })
  return (
    <Dialog title={`Personal keys of ${team}`} close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          call("PUT", `${pathOf(team)}/policy/personal_keys`, wanted(new FormData(event.currentTarget)))
            .then(close)
            .catch((cause: unknown) => setError(asApiError(cause)))
        }}
      >
        <label>
          <input name="enabled" type="checkbox" defaultChecked={of.enabled} />
          Members may make keys for themselves. If not, the keys that exist are suspended.
        </label>
        <div class="pair">
          <label>
            Keys of each member
            <input name="max_keys" type="number" min="1" max="1000" defaultValue={of.max_keys} />
          </label>
          <label>
            Longest lifetime, days
            <input
              name="days"
              type="number"
              min="0"
              max="366"
              step="any"
              placeholder="no limit"
              defaultValue={days(of)}
            />
          </label>
        </div>
        <label>
          Allowed models
          <input name="models" placeholder="all, or: auto, openai/*" defaultValue={of.models.join(", ")} />
        </label>
        <p class="muted">Limits and budgets apply to all keys of one member together.</p>
        <LimitFields budgets={of.budgets} limits={of.limits} />
        {error === undefined ? null : <Failure error={error} />}
        <p class="end">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button class="primary">Save</button>
        </p>
      </form>
    </Dialog>
  )
}
