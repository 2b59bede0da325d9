/** What is sent to those who want to be told, and how it is signed. */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import type { AlertFormat, AlertKind } from "../domain/Settings.ts"

export interface AlertMessage {
  readonly id: string
  readonly on: AlertKind | "test"
  /** Epoch ms. */
  readonly at: number
  /** Whose budget, or which deployment; null: the gateway's. */
  readonly scope: string | null
  /** A sentence for people. */
  readonly message: string
  readonly data: { readonly [name: string]: string | number | null }
  /** Of alerts on budgets: what they are about, by `budgetWindowId`. It is not sent. */
  readonly budgetWindow?: string
}

/** `slack`: what Slack's incoming webhooks take, and others that are compatible. */
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
 * With a secret, the message is signed: the receiver makes the HMAC-SHA-256 of `<timestamp>.<body>` with the secret, compares it, and refuses timestamps that are minutes
 * old: so nobody can send one again.
 */
export const webhookHeaders = (body: string, secret: Redacted.Redacted<string> | undefined, now: number) => {
  const plain = { "content-type": "application/json", "user-agent": "model-gateway" }
  if (secret === undefined) return plain
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.${body}`).digest("hex")
  return { ...plain, "x-gateway-timestamp": timestamp, "x-gateway-signature": `v1=${signature}` }
}
