/** Sends alerts, once per window. Conditions are checked every half minute in the background; without alerts nothing runs. */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { AlertSettings } from "../domain/Settings.ts"
import { StoreHealth } from "../domain/StoreHealth.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { SpendLedger } from "../ledger/SpendLedger.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import { Traffic } from "./Traffic.ts"
import { findings, type AlertServices } from "./AlertConditions.ts"
import { AlertMarks, type RaisedAlert } from "./AlertMarks.ts"
import { type AlertMessage, bodyOf, headersOf } from "./AlertMessage.ts"
import { type NotDelivered, WebhookSender } from "./WebhookSender.ts"

const LOOK_EVERY = "30 seconds"

/** A message that the receiver does not accept for this long is dropped. */
const GIVE_UP_MS = 24 * 3_600_000

/** The wait before the next attempt, doubled each time up to the second number. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 1_800_000

/** The most remembered windows of budgets with alerts, some 100 bytes each. The store answers for others. */
const MOST_WINDOWS = 100_000

/** Longer than any window but a month's, whose alerts may come twice. */
const REMEMBERED_MS = 400 * 24 * 3_600_000

export const layer = (settings: ReadonlyArray<AlertSettings>) =>
  settings.length === 0 ? Layer.empty : Layer.effectDiscard(watch(settings))

interface Alert extends AlertSettings {
  /** Its conditions and receiver, without the secret: the same when the secret or the order of the list changes. */
  readonly parts: ReadonlyArray<unknown>
  /** A hash of them, for the store. */
  readonly identity: string
  /** For log lines, without the receiver's address, which may contain a token. */
  readonly name: string
  readonly raised: Set<string>
}

const alertsOf = (settings: ReadonlyArray<AlertSettings>): ReadonlyArray<Alert> => {
  const seen = new Map<string, number>()
  return settings.map((alert) => {
    const { at, on, scope, url } = alert
    const text = JSON.stringify([on, scope, at, url])
    const count = seen.get(text) ?? 0
    seen.set(text, count + 1)
    const parts = [on, scope, at, url, ...(count === 0 ? [] : [count])]
    const identity = `alert:${hashOf(JSON.stringify(parts))}`
    const name = [on, scope, at === undefined ? undefined : `from ${Math.round(at * 100)} %`]
    return { ...alert, parts, identity, name: name.filter((part) => part !== undefined).join(" "), raised: new Set() }
  })
}

const watch = Effect.fnUntraced(function* (settings: ReadonlyArray<AlertSettings>) {
  const alerts = alertsOf(settings)
  const marks = yield* AlertMarks
  const sender = yield* WebhookSender
  const means: AlertServices = {
    keys: yield* KeyStore,
    ledger: yield* SpendLedger,
    rotation: yield* ProviderPool,
    traffic: yield* Traffic,
    store: yield* StoreHealth
  }
  const scope = yield* Effect.scope
  const underWay = new Set<string>()
  /** Alerts that were raised while the store could not record it: this process raised them once. */
  const unnoted = new Set<string>()
  /** Delivered, with the time, but not recorded yet: the next check tries again. */
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

  const deliver = (raised: RaisedAlert, { allowPrivate, name, secret, url }: Alert) =>
    Effect.gen(function* () {
      const attempt = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { body, id } = raised
        yield* sender.send({ url, headers: headersOf(id, body, secret, now), body, allowPrivate })
      })
      const wait = Schedule.exponential(FIRST_WAIT_MS).pipe(
        Schedule.setInputType<NotDelivered>(),
        Schedule.modifyDelay(({ duration, input }) => {
          const delay = Duration.min(duration, Duration.millis(LONGEST_WAIT_MS))
          const next = `next try in ${Math.round(Duration.toSeconds(delay))} s`
          return Effect.as(
            Effect.logWarning(`alert ${name} (${raised.id}) was not delivered: ${input.message}; ${next}`),
            delay
          )
        })
      )
      const left = Math.max(0, raised.raisedAt + GIVE_UP_MS - (yield* Clock.currentTimeMillis))
      const delivered = yield* attempt.pipe(Effect.retry(wait), Effect.timeoutOption(left))
      if (Option.isNone(delivered)) {
        yield* Effect.logError(`alert ${name} (${raised.id}) was dropped: its receiver accepted nothing for 24 hours`)
      }
      ended.set(raised.id, yield* Clock.currentTimeMillis)
      yield* noteEnded
    }).pipe(Effect.ensuring(Effect.sync(() => underWay.delete(raised.id))))

  const begin = (raised: RaisedAlert, alert: Alert) =>
    Effect.suspend(() => {
      if (underWay.has(raised.id)) return Effect.void
      underWay.add(raised.id)
      return Effect.forkIn(deliver(raised, alert), scope)
    })

  const raise = Effect.fnUntraced(function* (message: AlertMessage, alert: Alert) {
    const id = `alert_${hashOf(JSON.stringify([message.id, ...alert.parts]))}`
    const body = bodyOf({ ...message, id }, alert.format)
    const raised: RaisedAlert = { id, raisedAt: message.at, alert: alert.identity, body }
    const isTold = unnoted.has(id)
    const isNew = yield* Effect.option(marks.raise(raised))
    // An unavailable store can't record the alert.
    if (Option.isNone(isNew)) unnoted.add(id)
    else {
      unnoted.delete(id)
      if (message.budgetWindow !== undefined) {
        if (alert.raised.size >= MOST_WINDOWS) alert.raised.clear()
        alert.raised.add(message.budgetWindow)
      }
    }
    if (!isTold && Option.getOrElse(isNew, () => true)) return yield* begin(raised, alert)
    // It was raised while the store could not record it; now it is recorded.
    if (isTold && Option.isSome(isNew) && !underWay.has(id)) ended.set(id, message.at)
  })

  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const alert of alerts) {
      const found = yield* Effect.orElseSucceed(findings(alert, means, now, alert.raised), () => [])
      for (const message of found) yield* raise(message, alert)
    }
    yield* noteEnded
  })

  /** What an earlier process or check could not deliver. */
  const resume = Effect.gen(function* () {
    for (const raised of yield* marks.pending) {
      const alert = alerts.find(({ identity, url }) => identity === raised.alert || url === raised.alert)
      if (alert !== undefined) yield* begin(raised, alert)
      else {
        yield* Effect.logWarning(`alert ${raised.id} is not delivered: it was removed from the configuration`)
        yield* marks.done(raised.id, yield* Clock.currentTimeMillis)
      }
    }
    yield* marks.prune((yield* Clock.currentTimeMillis) - REMEMBERED_MS)
  })

  yield* Effect.forkScoped(
    Effect.andThen(Effect.ignore(resume), Effect.forever(Effect.andThen(look, Effect.sleep(LOOK_EVERY))))
  )
})

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)
