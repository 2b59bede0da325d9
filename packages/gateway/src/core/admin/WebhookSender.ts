/** How messages leave the gateway. A port: `providers` implements it. */
import { Context, type Effect, Schema } from "effect"

/** The receiver did not accept the message. `message` says why, without the address. */
export class NotDelivered extends Schema.TaggedError<NotDelivered>()("NotDelivered", { message: Schema.String }) {}

export interface Webhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly allowPrivate: boolean
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Completes when the receiver responded with a 2xx status. Follows no redirect. */
    readonly send: (webhook: Webhook) => Effect.Effect<void, NotDelivered>
  }
>()("gateway/core/WebhookSender") {}
