/** This process as a worker of a gateway. It does what its owner says, and ends with it. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { Channel, type Message } from "../../workers/Channel.ts"
import { settingsReceived } from "../../workers/SettingsOverIpc.ts"
import { serveAsWorker, type Start } from "../../workers/Worker.ts"
import * as GatewayLogger from "../../telemetry/logs/GatewayLogger.ts"
import { LogWriter } from "../../telemetry/logs/LogWriter.ts"
import { secretsOf } from "../../telemetry/logs/Secrets.ts"
import * as Stderr from "../../telemetry/logs/Stderr.ts"
import { registryLayer } from "../../telemetry/metrics/Meters.ts"
import { settleIn } from "../process/SettleIn.ts"

/** A terminal tells the whole group; the owner says when to stop. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit(1))

const channel = new Channel(
  (said, done) => void (process.connected ? process.send?.(said, undefined, {}, done) : done()),
  (effect) => void Effect.runFork(effect)
)
process.on("message", (said: Message) => channel.received(said))

const work = Effect.gen(function* () {
  const start = (yield* channel.call("start")) as Start
  const settings = settingsReceived(start.settings)
  const logs = GatewayLogger.layer({ format: settings.logs.format, secrets: () => secretsOf(settings) }).pipe(
    Layer.provide(LogWriter.layer.pipe(Layer.provide(Stderr.layer)))
  )
  yield* Effect.provide(serveAsWorker(channel, start, settleIn), [logs, registryLayer])
}).pipe(
  Effect.tapError(({ message }) => Effect.sync(() => channel.tell("failed", message))),
  Effect.ensuring(channel.handedOver)
)

NodeRuntime.runMain(work, {
  disableErrorReporting: true,
  teardown: (exit) => process.exit(exit._tag === "Success" ? 0 : 1)
})
