/** What a key may do, as a form: for a new one, and for one that is there. */
import type { IssuedKey, Key } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError } from "../../api/Query.ts"
import { LimitFields, limitsIn, listIn, textIn } from "../../parts/LimitFields.tsx"
import { Dialog, Failure } from "../../parts/Parts.tsx"
import { localText, timeOf } from "../../parts/Span.ts"
import { TeamField } from "../../parts/TeamField.tsx"
import { Secret } from "../../parts/Secret.tsx"

const expiryShown = (of: Key | undefined): string => localText(of?.expires_at ?? "")

/** Nothing where it stays: a time that is over can't be set again. */
const expiryIn = (form: FormData, of: Key | undefined) => {
  const text = textIn(form, "expires_at")
  return text === expiryShown(of) ? {} : { expires_at: timeOf(text) ?? null }
}

/** As the API takes it. An empty field goes back to the default. */
const wanted = (form: FormData, of?: Key) => ({
  name: textIn(form, "name") || null,
  models: listIn(form, "models"),
  tags: listIn(form, "tags"),
  allow_from: listIn(form, "allow_from"),
  // A form for a personal key lacks these.
  ...(form.has("team") ? { team: textIn(form, "team") || null } : {}),
  ...(form.has("unknown_fields") ? { unknown_fields: textIn(form, "unknown_fields") || null } : {}),
  ...(form.has("require_region")
    ? { require: { region: listIn(form, "require_region"), zdr: form.get("require_zdr") !== null } }
    : {}),
  ...expiryIn(form, of),
  ...limitsIn(form)
})

const Fields = (props: {
  readonly of?: Key
  /** Of a new personal key: the teams that allow one. */
  readonly teams?: ReadonlyArray<string>
  readonly send: (form: FormData) => Promise<unknown>
  readonly close: () => void
  readonly verb: string
}) => {
  const { of, teams } = props
  const isPersonal = teams !== undefined || of?.kind === "personal"
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        props.send(new FormData(event.currentTarget)).catch((cause: unknown) => setError(asApiError(cause)))
      }}
    >
      <div class="pair">
        <label>
          Name
          <input name="name" autofocus placeholder="ci" defaultValue={of?.name ?? ""} />
        </label>
        {isPersonal && teams === undefined ? null : (
          <label>
            Team
            {teams === undefined ? (
              <TeamField label="Team" name="team" placeholder="none" defaultValue={of?.team ?? ""} />
            ) : (
              <select name="team">
                {teams.map((team) => (
                  <option key={team}>{team}</option>
                ))}
              </select>
            )}
          </label>
        )}
      </div>
      <label>
        Allowed models
        <input name="models" placeholder="all, or: auto, openai/*" defaultValue={of?.models.join(", ") ?? ""} />
      </label>
      <label>
        Tags for its spend
        <input name="tags" placeholder="none" defaultValue={of?.tags.join(", ") ?? ""} />
      </label>
      <LimitFields {...(of === undefined ? {} : { budgets: of.budgets, limits: of.limits })} />
      <label>
        Expires
        <input name="expires_at" type="datetime-local" defaultValue={expiryShown(of)} />
      </label>
      <label>
        Addresses it may be used from
        <input name="allow_from" placeholder="any, or: 10.0.0.0/8" defaultValue={of?.allow_from.join(", ") ?? ""} />
      </label>
      {isPersonal ? null : <Requirements of={of} />}
      {error === undefined ? null : <Failure error={error} />}
      <p class="end">
        <button type="button" onClick={props.close}>
          Cancel
        </button>
        <button class="primary">{props.verb}</button>
      </p>
    </form>
  )
}

/** What only administrators decide. */
const Requirements = ({ of }: { readonly of: Key | undefined }) => (
  <>
    <label>
      Regions it may use
      <input name="require_region" placeholder="any" defaultValue={of?.require.region.join(", ") ?? ""} />
    </label>
    <label>
      <input name="require_zdr" type="checkbox" defaultChecked={of?.require.zdr === true} />
      Only deployments with zero data retention
    </label>
    <label>
      Request fields of unknown cost, under a budget
      <select name="unknown_fields">
        <option value="remove" selected={of?.unknown_fields !== "pass"}>
          remove and name them
        </option>
        <option value="pass" selected={of?.unknown_fields === "pass"}>
          pass them on (can exceed the budget)
        </option>
      </select>
    </label>
  </>
)

/** `teams`: it makes a personal key in one of them. */
export const NewKey = ({ close, teams }: { readonly close: () => void; readonly teams?: ReadonlyArray<string> }) => {
  const [made, setMade] = useState<IssuedKey | undefined>(undefined)
  if (made === undefined) {
    return (
      <Dialog title="New key" close={close}>
        <Fields
          verb="Create key"
          close={close}
          {...(teams === undefined ? {} : { teams })}
          send={(form) => call<IssuedKey>("POST", teams === undefined ? "keys" : "me/keys", wanted(form)).then(setMade)}
        />
      </Dialog>
    )
  }
  return (
    <Dialog title="New key created" close={close}>
      <Secret secret={made.key} />
      {made.warnings?.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <p class="end">
        <button class="primary" onClick={close}>
          Done
        </button>
      </p>
    </Dialog>
  )
}

export const EditKey = (props: { readonly of: Key; readonly close: () => void }) => (
  <Dialog title={`Edit ${props.of.name ?? props.of.id}`} close={props.close}>
    <Fields
      of={props.of}
      verb="Save"
      close={props.close}
      send={(form) =>
        call("PATCH", `keys/${encodeURIComponent(props.of.id)}`, wanted(form, props.of)).then(props.close)
      }
    />
  </Dialog>
)
