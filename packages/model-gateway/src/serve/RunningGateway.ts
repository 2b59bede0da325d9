/** A gateway that runs in the foreground until a signal stops it. */
import { Clock, Console, Effect, Layer } from "effect"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import { loadTokenizer } from "@model-gateway/gateway/internal/core/operations/Tokens"
import { Configuration } from "@model-gateway/gateway/internal/core/domain/Configuration"
import type { Load, Show } from "@model-gateway/gateway/internal/Reload"
import { HttpServer } from "@model-gateway/gateway/internal/http/server/HttpServer"
import { Readiness } from "@model-gateway/gateway/internal/http/shared/Readiness"
import { Environment } from "../Environment.ts"
import { CommandFailed, exitCodes } from "../Failure.ts"

/** npm forwards a signal that the terminal sent to the whole process group already: a second one within this time is the same. */
const SAME_SIGNAL_MS = 1_000

interface RunOptions {
  /** Log lines as JSON, in place of the configured format. */
  readonly jsonLogs: boolean
  /** What SIGHUP and administrators can have read again. */
  readonly load?: Load
  /** How administrators are shown it. */
  readonly file?: Show
}

/**
 * Starts a gateway, calls `ready` and serves until SIGTERM or SIGINT; then it drains, and a second signal ends the wait. Stopping a
 * server is how it ends well: exit code 0.
 */
export const runGateway = <R>(
  settings: Settings,
  options: RunOptions,
  ready: Effect.Effect<void, CommandFailed | StoreUnavailable, R>
) =>
  Effect.gen(function* () {
    yield* ready
    yield* Effect.forEach(settings.warnings ?? [], Effect.logWarning)
    const readiness = yield* Readiness
    const configuration = yield* Configuration
    const reload = configuration.reload.pipe(
      Effect.catch(({ message }) => Effect.logWarning(`SIGHUP is ignored: ${message}`))
    )
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const clock = yield* Clock.Clock
    let stoppedAt: number | undefined
    const onSignal = () => {
      const now = clock.currentTimeMillisUnsafe()
      stoppedAt ??= now
      if (Math.abs(now - stoppedAt) > SAME_SIGNAL_MS) run(readiness.hurry)
    }
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
    process.on("SIGHUP", () => void run(reload))
    // Otherwise the first stream that breaks off would wait for it.
    yield* Effect.forkScoped(Effect.delay(loadTokenizer, "1 second"))
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(observed(settings, options)),
    (running) => Effect.andThen(endsWell, running),
    Effect.catchTags({
      CannotListen: fixable,
      ModelFileInvalid: fixable,
      StoreLocked: fixable,
      StoreTooNew: fixable,
      StoreUnusable: fixable,
      StoreUnavailable: fixable
    })
  )

/** A signal ends a server with exit code 0, also while it starts; an error has its own code. */
const endsWell = Effect.sync(() => {
  process.exitCode = exitCodes.done
  // By default SIGHUP kills the process immediately, with calls in flight. Supervisors send it to request a reload.
  process.on("SIGHUP", () => {})
})

const observed = (settings: Settings, { file, jsonLogs, load }: RunOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const environment = yield* Environment
      const { layer } = yield* Effect.promise(() => import("./Observed.ts"))
      return layer(settings, { format: jsonLogs ? "json" : undefined, environment, load, file })
    })
  )

const fixable = (error: { readonly message: string }) => Effect.fail(new CommandFailed({ message: error.message }))

/** One line on stderr, once it listens. */
export const announce = Effect.flatMap(HttpServer, ({ adminUrl, url }) =>
  Console.error(`listening on ${url}${adminUrl === url ? "" : `, administration on ${adminUrl}`}`)
)
