/** `alerts`: who is told when a budget fills up, a circuit opens, calls fail or the store refuses writes. */
import { Schema } from "effect"
import { alertFormats, alertKinds, type AlertSettings } from "../../core/domain/Settings.ts"
import type { Here } from "../Here.ts"
import { longSecret, webAddress, isSignedIn } from "../SecretSettings.ts"
import { group, list, oneOf, or, positive, required, textThat, yesOrNo } from "../SettingValues.ts"

const SCOPE = "key:<id>, team:<name>, end_user:* or the id of a deployment"

/** A receiver can be fooled by whoever guesses it. */
const SHORTEST_SECRET = 16

/** Receivers take some part of it for a key. */
export const webhookUrl = webAddress("an address such as https://hooks.example.com/gateway", (url) =>
  isSignedIn(url) ? "this address holds a user name or password" : undefined
)

export const webhookSecret = longSecret("a secret that signs the messages", SHORTEST_SECRET)

const Alert = group({
  on: required(
    "the condition: budget, soft_budget, circuit, error_rate, store or model_shutdown",
    oneOf("at least one kind of alert", alertKinds)
  ),
  scope: Schema.optionalKey(textThat(SCOPE, (text) => text.trim() === text)),
  at: Schema.optionalKey(positive(10)),
  url: required("the address of the receiver", webhookUrl),
  format: oneOf("a format of messages", alertFormats).pipe(or("json")),
  secret: Schema.optionalKey(webhookSecret),
  allow_private: yesOrNo.pipe(or(false))
})

/** A message that is not signed could be anybody's. Slack and its like check no signature. */
export const checkAlerts = (alerts: Here | undefined): void => {
  for (const alert of alerts?.items ?? []) {
    if (!alert.isGroup || alert.has("secret") || alert.field("format")?.text === "slack") continue
    const needs = `what signs the messages, at least ${SHORTEST_SECRET} characters, as \${NAME} (format: slack needs none)`
    alert.missing("secret", needs, { allowed: "a secret" })
  }
}

export const Alerts = list("alerts", Alert)

const DEFAULT_AT = {
  budget: 0.8,
  soft_budget: 1,
  circuit: undefined,
  error_rate: 0.5,
  store: undefined,
  model_shutdown: undefined
}

export const alertSettings = (alerts: typeof Alerts.Type): ReadonlyArray<AlertSettings> =>
  alerts.map(({ allow_private: allowPrivate, at, format, on, scope, secret: key, url }) => ({
    on,
    scope,
    at: at ?? DEFAULT_AT[on],
    url,
    format,
    secret: key,
    allowPrivate
  }))
