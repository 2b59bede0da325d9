/** A gateway that runs in the foreground until it is told to stop. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Clock, Console, Effect, Layer, Logger, References } from "effect"
import type { Settings } from "../core/Settings.ts"
import type { StoreUnavailable } from "../core/Store.ts"
import { HttpServer } from "../http/HttpServer.ts"
import { Readiness } from "../http/Readiness.ts"
import { CommandFailed, exitCodes } from "./Failure.ts"

/** npm passes a signal on that a terminal or a supervisor sent to the whole group already: within this time it is the same one. */
const SAME_SIGNAL_MS = 1_000

/**
 * Starts a gateway, calls `ready` and serves until SIGTERM or SIGINT; then it drains, and a second signal ends the wait. Stopping a
 * server is how it ends well: exit code 0.
 */
export const runGateway = <R>(
  settings: Settings,
  options: { readonly jsonLogs: boolean },
  ready: Effect.Effect<void, CommandFailed | StoreUnavailable, R>
) =>
  Effect.gen(function* () {
    yield* ready
    const readiness = yield* Readiness
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const clock = yield* Clock.Clock
    let stoppedAt: number | undefined
    const onSignal = () => {
      const now = clock.currentTimeMillisUnsafe()
      stoppedAt ??= now
      if (now - stoppedAt > SAME_SIGNAL_MS) run(readiness.hurry)
    }
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
    process.exitCode = exitCodes.done
    yield* Effect.forkScoped(Effect.delay(Effect.sync(releaseStartUpMemory), "1 second"))
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(server(settings)),
    Effect.catchTags({
      CannotListen: fixable,
      StoreLocked: fixable,
      StoreTooNew: fixable,
      StoreUnusable: fixable,
      StoreUnavailable: fixable
    }),
    Effect.provide(logging(options.jsonLogs))
  )

/** Starting leaves some 70 MB of garbage in a heap that has grown for it: given back once, in a pause of about 100 ms. */
const releaseStartUpMemory = (): void => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as (options: object) => void
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

/** Loaded when it is wanted: other commands start in half the time without it. */
const server = (settings: Settings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../Server.ts")),
      ({ layer }) => layer(settings)
    )
  )

const fixable = (error: { readonly message: string }) => Effect.fail(new CommandFailed({ message: error.message }))

/** Logs go to stderr: stdout belongs to answers. */
const logging = (json: boolean) =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(json ? Logger.formatJson : Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, "Info")
  )

/** One line on stderr, once it listens. */
export const announce = Effect.flatMap(HttpServer, ({ url }) => Console.error(`listening on ${url}`))
