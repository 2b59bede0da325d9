/** What a key or team has for models, for each end user and for each session. */
import type { Key } from "@model-gateway/protocol"
import { count, usd } from "../Format.ts"
import { Card, Name } from "./Parts.tsx"

type Template = NonNullable<Key["per_end_user"]>
type Held = Pick<Template, "limits" | "budgets">

const sayings = ({ budgets, limits }: Held): ReadonlyArray<string> => [
  ...(limits.rpm === null ? [] : [`${count(limits.rpm)} requests per minute`]),
  ...(limits.tpm === null ? [] : [`${count(limits.tpm)} tokens per minute`]),
  ...(limits.max_parallel === null ? [] : [`${count(limits.max_parallel)} parallel requests`]),
  ...budgets.map(({ time_zone = "UTC", usd: amount, window = "total" }) =>
    window === "total" ? `${usd(amount)} in total` : `${usd(amount)} per ${window} (${time_zone})`
  )
]

const said = (held: Held): string => sayings(held).join(", ") || "no limit and no budget"

const Rules = ({ rules }: { readonly rules: Template["model_rules"] }) => (
  <dl class="facts">
    {rules.map((rule) => (
      <>
        <dt class="mono">
          <Name of={rule.match.join(", ")} />
        </dt>
        <dd>{said(rule)}</dd>
      </>
    ))}
  </dl>
)

const Each = (props: { readonly title: string; readonly of: Template | undefined }) =>
  props.of === undefined ? null : (
    <Card title={props.title}>
      <p>{said(props.of)}</p>
      <Rules rules={props.of.model_rules} />
    </Card>
  )

/** What the requests of a key say of their end users. */
const sourceOf = ({ fixed, from = ["header"], required }: NonNullable<Key["end_user"]>): string =>
  typeof fixed === "string"
    ? `Every request is of ${fixed}.`
    : `Read from ${from.map((one) => (one === "header" ? "X-Gateway-End-User" : "the body")).join(", else ")}${required === true ? ", and required" : ""}.`

export const Scopes = ({
  of
}: {
  readonly of: Pick<Key, "model_rules" | "per_end_user" | "per_session" | "end_user">
}) => {
  const { end_user, model_rules = [], per_end_user, per_session } = of
  if (model_rules.length === 0 && [end_user, per_end_user, per_session].every((one) => one === undefined)) return null
  return (
    <div class="columns">
      {model_rules.length === 0 ? null : (
        <Card title="Model rules">
          <Rules rules={model_rules} />
        </Card>
      )}
      <Each title="Each end user" of={per_end_user} />
      <Each title="Each session" of={per_session} />
      {end_user === undefined ? null : (
        <Card title="End users">
          <p>{sourceOf(end_user)}</p>
        </Card>
      )}
    </div>
  )
}
