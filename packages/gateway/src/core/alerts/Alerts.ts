/**
 * Tells those who want to know, once in each window. Looked at every half minute, beside all requests; without alerts nothing runs.
 */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { AlertSettings } from "../domain/Settings.ts"
import { StoreHealth } from "../domain/StoreHealth.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { SpendLedger } from "../ledger/SpendLedger.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import { Traffic } from "../traffic/Traffic.ts"
import { findings, type Means } from "./AlertConditions.ts"
import { AlertMarks, type RaisedAlert } from "./AlertMarks.ts"
import { type AlertMessage, bodyOf, signed } from "./AlertMessage.ts"
import { WebhookSender } from "./WebhookSender.ts"

const LOOK_EVERY = "30 seconds"

/** A receiver that takes nothing for so long is not told any more of that. */
const GIVE_UP_MS = 24 * 3_600_000

/** The wait for the next try: doubled each time, up to the second figure. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 1_800_000

/** Longer than any window but a month's, whose alerts may come twice. */
const REMEMBERED_MS = 400 * 24 * 3_600_000

export const layer = (settings: ReadonlyArray<AlertSettings>) =>
  settings.length === 0 ? Layer.empty : Layer.effectDiscard(watch(settings))

const watch = Effect.fnUntraced(function* (settings: ReadonlyArray<AlertSettings>) {
  const marks = yield* AlertMarks
  const sender = yield* WebhookSender
  const means: Means = {
    keys: yield* KeyStore,
    ledger: yield* SpendLedger,
    pool: yield* ProviderPool,
    traffic: yield* Traffic,
    store: yield* StoreHealth
  }
  const scope = yield* Effect.scope
  /** Under way in this process. */
  const underWay = new Set<string>()
  /** What the store could not note when it was told: this process told it once. */
  const unnoted = new Set<string>()
  /** Done, and when, but not noted yet: a store in trouble is asked again with the next look. */
  const ended = new Map<string, number>()

  const noteEnded = Effect.suspend(() =>
    Effect.forEach(
      [...ended],
      ([id, at]) =>
        Effect.ignore(
          Effect.andThen(
            marks.done(id, at),
            Effect.sync(() => ended.delete(id))
          )
        ),
      { discard: true }
    )
  )

  const deliver = (raised: RaisedAlert, { allowPrivate, secret, url }: AlertSettings) =>
    Effect.gen(function* () {
      const attempt = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { body, id } = raised
        yield* sender.send({ url, headers: signed(id, body, secret, now), body, allowPrivate })
      })
      const wait = Schedule.exponential(FIRST_WAIT_MS).pipe(
        Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.millis(LONGEST_WAIT_MS))))
      )
      const left = Math.max(0, raised.raisedAt + GIVE_UP_MS - (yield* Clock.currentTimeMillis))
      yield* attempt.pipe(
        Effect.tapError(({ message }) =>
          Effect.logWarning(`An alert was not delivered, and is tried again: ${message}`)
        ),
        Effect.retry(wait),
        Effect.timeoutOption(left)
      )
      ended.set(raised.id, yield* Clock.currentTimeMillis)
      yield* noteEnded
    }).pipe(Effect.ensuring(Effect.sync(() => underWay.delete(raised.id))))

  const begin = (raised: RaisedAlert, alert: AlertSettings) =>
    Effect.suspend(() => {
      if (underWay.has(raised.id)) return Effect.void
      underWay.add(raised.id)
      return Effect.forkIn(deliver(raised, alert), scope)
    })

  const raise = Effect.fnUntraced(function* (message: AlertMessage, alert: AlertSettings) {
    const id = idOf(message, alert)
    const raised: RaisedAlert = { id, raisedAt: message.at, url: alert.url, body: bodyOf({ ...message, id }) }
    const isTold = unnoted.has(id)
    const isNew = yield* Effect.option(marks.raise(raised))
    // A store that is in trouble can't note that this is told.
    if (Option.isNone(isNew)) unnoted.add(id)
    else unnoted.delete(id)
    if (!isTold && Option.getOrElse(isNew, () => true)) return yield* begin(raised, alert)
    // It was told while the store could not note it; now it could.
    if (isTold && Option.isSome(isNew) && !underWay.has(id)) ended.set(id, message.at)
  })

  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const alert of settings) {
      const found = yield* Effect.orElseSucceed(findings(alert, means, now), () => [])
      for (const message of found) yield* raise(message, alert)
    }
    yield* noteEnded
  })

  /** What an earlier process, or an earlier look, could not deliver. */
  const resume = Effect.gen(function* () {
    for (const raised of yield* marks.pending) {
      const alert = settings.find(({ url }) => url === raised.url)
      if (alert !== undefined) yield* begin(raised, alert)
      else yield* marks.done(raised.id, yield* Clock.currentTimeMillis)
    }
    yield* marks.prune((yield* Clock.currentTimeMillis) - REMEMBERED_MS)
  })

  yield* Effect.forkScoped(
    Effect.andThen(Effect.ignore(resume), Effect.forever(Effect.andThen(look, Effect.sleep(LOOK_EVERY))))
  )
})

/** The same for the same finding at the same receiver, and nothing that an address could hide in. */
const idOf = ({ id }: AlertMessage, { at, on, scope, url }: AlertSettings): string =>
  `alert_${createHash("sha256")
    .update(JSON.stringify([id, on, scope, at, url]))
    .digest("hex")
    .slice(0, 32)}`
