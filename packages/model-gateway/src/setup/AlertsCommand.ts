/** `model-gateway alerts test`: sends a test message to each alert's receiver. */
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { fileToRead } from "../ConfigurationFile.ts"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { bodyOf, headersOf } from "@model-gateway/gateway/internal/core/admin/AlertMessage"
import { WebhookSender } from "@model-gateway/gateway/internal/core/admin/WebhookSender"
import { randomBase62 } from "@model-gateway/gateway/internal/core/keys/Credential"
import * as WebhookSenderLive from "@model-gateway/gateway/internal/providers/transport/HttpWebhookSender"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

const test = Command.make(
  "test",
  {
    config: fileToRead()
  },
  Effect.fn("alerts.test")(function* ({ config }) {
    const environment = yield* Environment
    const { alerts } = yield* loadSettings({ file: config, vendors: knownVendors, environment })
    if (alerts.length === 0) {
      return yield* new CommandFailed({ message: `${config} has no \`alerts\`: docs/admin.md shows how to write some` })
    }
    const sender = yield* WebhookSender
    let failed = 0
    for (const [index, { allowPrivate, format, on, scope, secret, url }] of alerts.entries()) {
      const now = yield* Clock.currentTimeMillis
      const id = `alert_test_${randomBase62(16)}`
      const message = `This is a test of the alert on ${on}${scope === undefined ? "" : ` of ${scope}`}.`
      const body = bodyOf({ id, on: "test", at: now, scope: scope ?? null, message, data: { on } }, format)
      const name = `alerts[${index}] on ${on}`
      yield* sender.send({ url, headers: headersOf(id, body, secret, now), body, allowPrivate }).pipe(
        Effect.matchEffect({
          onSuccess: () => Console.log(`${name}: delivered`),
          onFailure: ({ message: why }) => {
            failed++
            return Console.log(`${name}: not delivered: ${why}`)
          }
        })
      )
    }
    if (failed > 0)
      return yield* new CommandFailed({ message: `${failed} of ${alerts.length} alerts can't be delivered` })
  }, Effect.provide(WebhookSenderLive.layer))
).pipe(
  Command.withDescription(
    "Send a signed test message to every receiver of the configuration's `alerts`, and say who took it."
  ),
  Command.withShortDescription("Send a test message to every receiver"),
  Command.withExamples([{ command: "model-gateway alerts test --config prod.yaml" }])
)

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Notifications about budgets, open circuits, failing calls and store problems."),
  Command.withShortDescription("Notifications about budgets, circuits, failures and the store"),
  Command.withSubcommands([test])
)
