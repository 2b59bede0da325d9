/**
 * Which of a provider's keys a call uses. Keys take turns. A key that is refused or out of credit is set aside for 5 minutes, for
 * all deployments of the provider; a rate limit is often the model's, so its wait holds for one deployment. When the time is over,
 * one call tries the key. A provider without keys counts as a pool of one.
 */
import type { ProviderFailure } from "../domain/Failures.ts"

export type KeyState = "ready" | "rate_limited" | "refused" | "out_of_credit"

export interface KeyReport {
  /** Its place in the configuration's list, from 0. */
  readonly index: number
  readonly state: KeyState
  /** Epoch ms; null when it is ready. */
  readonly until: number | null
}

/** Whose call was refused, and what it said. */
export interface Suspect {
  readonly caller: string
  readonly prompt: string
}

/** A key without credit, or that is refused, does not recover in seconds. */
const ASIDE_MS = 300_000
/** Nobody's word keeps a key aside for longer than this. */
const LONGEST_WAIT_MS = 3_600_000
/** For so long other keys are preferred to one whose rate is limited for a time that nobody named. */
const AVOID_MS = 1_000
/** Refusals that lie further apart than this do not speak for each other. */
const SUSPICION_MS = 600_000

/** What is held against a key: nothing, or that it is set aside. Shared by the deployments of a provider, or a deployment's own. */
export class KeyStanding {
  reason: "refused" | "out_of_credit" = "refused"
  /** Epoch ms; 0: nothing is held against it. From then on one call tries it. */
  until = 0
  private since = 0
  /** When the call that tries it began. */
  private probedAt = 0

  isUsable(now: number): boolean {
    // Where the clock was set back, nothing is waited for longer than it was to last.
    if (this.until - now > ASIDE_MS) this.until = now + ASIDE_MS
    return this.until === 0 || (now >= this.until && this.probedAt === 0)
  }

  setAside(now: number, reason: KeyStanding["reason"]): void {
    this.reason = reason
    this.since = now
    this.until = now + ASIDE_MS
    this.probedAt = 0
  }

  began(now: number): void {
    if (this.until !== 0 && now >= this.until) this.probedAt = now
  }

  /** A call that began at `began` is over. */
  ended(began: number): void {
    if (this.probedAt !== 0 && began >= this.probedAt) this.probedAt = 0
  }

  /** It worked for a call. What began before it was set aside is no news. */
  worked(began: number): void {
    if (this.until !== 0 && began > this.since) this.until = 0
    this.ended(began)
  }
}

/** A key as one deployment uses it. */
interface PooledKey {
  readonly ofProvider: KeyStanding
  readonly own: KeyStanding
  /** The provider asked not to be called before this time. */
  notBefore: number
  /** How long that wait was when it began. */
  notBeforeMs: number
  /** Other keys are preferred until then. */
  avoidUntil: number
  /** The first of the refusals that may be about their requests alone, while the key worked for nobody. */
  suspect: (Suspect & { readonly at: number }) | undefined
}

export class KeyPool {
  private readonly keys: ReadonlyArray<PooledKey>
  private turn = 0

  /** One standing for each key, at least one. */
  constructor(standings: ReadonlyArray<KeyStanding>) {
    this.keys = standings.map((ofProvider) => ({
      ofProvider,
      own: new KeyStanding(),
      notBefore: 0,
      notBeforeMs: 0,
      avoidUntil: 0,
      suspect: undefined
    }))
  }

  get size(): number {
    return this.keys.length
  }

  /** Whether a call now would find a key that is worth it. */
  isReady(now: number): boolean {
    for (const key of this.keys) if (isUsable(key, now)) return true
    return false
  }

  /** Whether nothing speaks against one of the keys. */
  isHealthy(now: number): boolean {
    for (const key of this.keys) if (isSound(key) && now >= key.notBefore) return true
    return false
  }

  /** Whether there is a usable key besides those, none that is limited as far as anybody knows. */
  hasOther(now: number, tried: ReadonlyArray<number>): boolean {
    return this.keys.some((key, index) => isUsable(key, now) && now >= key.avoidUntil && !tried.includes(index))
  }

  /** The key for a call that begins now: the next usable one, untried before tried, else the one that is so first. */
  take(now: number, tried: ReadonlyArray<number> = NONE): number {
    const { keys, turn } = this
    let best = 0
    let bestWait = Infinity
    for (let n = 0; n < keys.length && bestWait > 0; n++) {
      const index = (turn + n) % keys.length
      const key = keys[index]!
      const wait = isUsable(key, now) ? (now >= key.avoidUntil ? 0 : 1) : 1 + soonest(key)
      if (wait >= bestWait || (keys.length > 1 && tried.includes(index))) continue
      best = index
      bestWait = wait
    }
    this.turn = (best + 1) % keys.length
    keys[best]!.ofProvider.began(now)
    keys[best]!.own.began(now)
    return best
  }

  /** The provider took the key for a call that began at `began`. */
  worked(index: number, began: number): void {
    const key = this.keys[index]!
    key.ofProvider.worked(began)
    key.own.worked(began)
    key.suspect = undefined
  }

  /** The call ended without news of the key. */
  released(index: number, began: number): void {
    const key = this.keys[index]!
    key.ofProvider.ended(began)
    key.own.ended(began)
  }

  /** `about`: asked only where it matters whose call it was. */
  failed(index: number, began: number, now: number, failure: ProviderFailure, about: () => Suspect): void {
    const key = this.keys[index]!
    this.released(index, began)
    if (failure.class === "rate_limited") {
      key.avoidUntil = now + AVOID_MS
      const wait = Math.min(failure.retryAfterMs ?? 0, LONGEST_WAIT_MS)
      if (now + wait > key.notBefore) {
        key.notBefore = now + wait
        key.notBeforeMs = wait
      }
    } else if (failure.class === "auth" || failure.class === "quota_exhausted") {
      const reason = failure.class === "auth" ? "refused" : "out_of_credit"
      if (failure.mayBeOfRequest !== true) key.ofProvider.setAside(now, reason)
      else if (isConfirmed(key, now, about())) key.own.setAside(now, reason)
    }
  }

  /** Open while every key is set aside, half open when the time of one of them is over. Rate limits are no outage. */
  circuit(now: number): "closed" | "open" | "half_open" {
    if (this.keys.some(isSound)) return "closed"
    return this.keys.some(({ ofProvider, own }) => now >= Math.max(ofProvider.until, own.until)) ? "half_open" : "open"
  }

  report(now: number): ReadonlyArray<KeyReport> {
    return this.keys.map(({ notBefore, ofProvider, own }, index) => {
      const standing = own.until > ofProvider.until ? own : ofProvider
      if (standing.until !== 0) return { index, state: standing.reason, until: standing.until }
      return notBefore > now
        ? { index, state: "rate_limited", until: notBefore }
        : { index, state: "ready", until: null }
    })
  }
}

const NONE: ReadonlyArray<number> = []

const soonest = ({ notBefore, ofProvider, own }: PooledKey): number =>
  Math.max(1, notBefore, ofProvider.until, own.until)

const isSound = ({ ofProvider, own }: PooledKey): boolean => ofProvider.until === 0 && own.until === 0

const isUsable = (key: PooledKey, now: number): boolean => {
  if (key.notBefore - now > key.notBeforeMs) key.notBefore = now + key.notBeforeMs
  if (key.avoidUntil - now > AVOID_MS) key.avoidUntil = now + AVOID_MS
  return now >= key.notBefore && key.ofProvider.isUsable(now) && key.own.isUsable(now)
}

/**
 * Whether a refusal that may be about its request alone is the key's after all: another caller with another prompt met it too, and
 * nobody was answered in between. A caller alone can never show that.
 */
const isConfirmed = (key: PooledKey, now: number, suspect: Suspect): boolean => {
  const first = key.suspect
  if (first === undefined || now - first.at > SUSPICION_MS) {
    key.suspect = { ...suspect, at: now }
    return false
  }
  if (first.caller === suspect.caller || first.prompt === suspect.prompt) return false
  key.suspect = undefined
  return true
}
