/** How messages leave the gateway. A port: `providers` implements it. */
import { Context, type Effect, Schema } from "effect"

/** The receiver did not accept the message. `message` says why, without the address. */
export class NotDelivered extends Schema.TaggedError<NotDelivered>()("NotDelivered", { message: Schema.String }) {}

export interface Webhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly allowPrivate: boolean
  /** Of the response, which is read then and must not be longer. Left out: it is not read. */
  readonly mostBytes?: number
  /** Left out: 10 s. */
  readonly timeoutMs?: number
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Completes when the receiver responded with a 2xx status: with the body, if it is to be read. Follows no redirect. */
    readonly send: (webhook: Webhook) => Effect.Effect<string, NotDelivered>
  }
>()("gateway/core/WebhookSender") {}
