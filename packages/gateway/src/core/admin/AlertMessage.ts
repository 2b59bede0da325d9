/** The message of an alert, and its signature. */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import type { AlertFormat, AlertKind } from "../domain/Settings.ts"

export interface AlertMessage {
  readonly id: string
  readonly on: AlertKind | "test"
  /** Epoch ms. */
  readonly at: number
  /** The budget or the deployment; null for the gateway. */
  readonly scope: string | null
  /** A sentence for people. */
  readonly message: string
  readonly data: { readonly [name: string]: string | number | null }
  /** For alerts about budgets: the window by `budgetWindowId`. Not sent. */
  readonly budgetWindow?: string
}

/** `slack`: the format of Slack's incoming webhooks and compatible receivers. */
export const bodyOf = ({ at, data, id, message, on, scope }: AlertMessage, format: AlertFormat): string =>
  format === "slack"
    ? JSON.stringify({ text: escaped(message) })
    : JSON.stringify({ object: "alert", id, on, at: new Date(at).toISOString(), scope, message, data })

/** Slack reads `<…>` as links and mentions. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const headersOf = (id: string, body: string, secret: Redacted.Redacted<string> | undefined, now: number) => ({
  ...webhookHeaders(body, secret, now),
  "x-gateway-alert-id": id
})

/**
 * With a secret, the message is signed: the receiver computes the HMAC-SHA-256 of `<timestamp>.<body>` with the secret, compares
 * it, and refuses timestamps that are minutes old, which prevents replays.
 */
export const webhookHeaders = (body: string, secret: Redacted.Redacted<string> | undefined, now: number) => {
  const plain = { "content-type": "application/json", "user-agent": "model-gateway" }
  if (secret === undefined) return plain
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.${body}`).digest("hex")
  return { ...plain, "x-gateway-timestamp": timestamp, "x-gateway-signature": `v1=${signature}` }
}
