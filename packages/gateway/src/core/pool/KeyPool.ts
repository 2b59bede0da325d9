/**
 * Chooses the provider key for a call: in turn, but a conversation keeps its own. A refused key, or one out of credit, is set
 * aside for 5 minutes at all deployments, a rate-limited one at this deployment. Then one call tests it. No keys count as one.
 */
import type { ProviderFailure } from "../domain/Failures.ts"

type KeyState = "ready" | "rate_limited" | "refused" | "out_of_credit"

export interface KeyReport {
  /** Its index in the configuration's list. */
  readonly index: number
  readonly state: KeyState
  /** Epoch ms; null when the key is ready. */
  readonly until: number | null
}

/** Whose call was refused, and for which prompt. */
export interface Suspect {
  readonly caller: string
  readonly prompt: string
}

/** A refused key, or one without credit, does not recover in seconds. */
const ASIDE_MS = 300_000
/** No provider's wait sets a key aside for longer than this. */
const LONGEST_WAIT_MS = 3_600_000
/** After a rate limit without a named wait, other keys are preferred for this long. */
const AVOID_MS = 1_000
/** Refusals further apart than this do not confirm each other. */
const SUSPICION_MS = 600_000

/** Whether a key is set aside, and until when. Either shared by all deployments of a provider, or for one deployment. */
export class KeyStanding {
  reason: "refused" | "out_of_credit" = "refused"
  /** Epoch ms, after which one call tests the key; 0: it is not set aside. */
  until = 0
  private since = 0
  /** When the call that tests it began. */
  private probedAt = 0

  isUsable(now: number): boolean {
    // If the clock was set back, no wait is longer than it was meant to be.
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

  /** The key worked for a call. A call from before it was set aside proves nothing. */
  worked(began: number): void {
    if (this.until !== 0 && began > this.since) this.until = 0
    this.ended(began)
  }
}

/** A key, as one deployment sees it. */
interface PooledKey {
  readonly ofProvider: KeyStanding
  readonly own: KeyStanding
  /** The provider asked not to be called before this time. */
  notBefore: number
  /** The length of that wait at its start. */
  notBeforeMs: number
  /** Until then other keys are preferred. */
  avoidUntil: number
  /** The first refusal that may be caused by its request, since the key last worked for anyone. */
  suspect: (Suspect & { readonly at: number }) | undefined
}

export class KeyPool {
  private readonly keys: ReadonlyArray<PooledKey>
  private turn = 0

  /** One standing for each key, and at least one. */
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

  /** Whether a call now would find a usable key. */
  isReady(now: number): boolean {
    for (const key of this.keys) if (isUsable(key, now)) return true
    return false
  }

  /** Whether at least one key has nothing against it. */
  isHealthy(now: number): boolean {
    for (const key of this.keys) if (isSound(key) && now >= key.notBefore) return true
    return false
  }

  /** Whether another key than these is usable and has no known rate limit. */
  hasOther(now: number, tried: ReadonlyArray<number>): boolean {
    return this.keys.some((key, index) => isUsable(key, now) && now >= key.avoidUntil && !tried.includes(index))
  }

  /** The preferred key if usable and untried, else the next usable one, untried first, else the one usable soonest. */
  take(now: number, tried: ReadonlyArray<number> = NONE, preferred?: number): number {
    const { keys, turn } = this
    if (preferred !== undefined && !tried.includes(preferred)) {
      const key = keys[preferred]
      if (key !== undefined && isUsable(key, now) && now >= key.avoidUntil) return this.begin(preferred, now)
    }
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
    return this.begin(best, now)
  }

  private begin(index: number, now: number): number {
    this.keys[index]!.ofProvider.began(now)
    this.keys[index]!.own.began(now)
    return index
  }

  /** The provider accepted the key for a call that began at `began`. */
  worked(index: number, began: number): void {
    const key = this.keys[index]!
    key.ofProvider.worked(began)
    key.own.worked(began)
    key.suspect = undefined
  }

  /** The call ended without telling anything about the key. */
  released(index: number, began: number): void {
    const key = this.keys[index]!
    key.ofProvider.ended(began)
    key.own.ended(began)
  }

  /** `about`: the call's caller and prompt, computed only where they matter. */
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

  /** Open while every key is set aside, half open once one of them may be tested. Rate limits do not open it. */
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

/** Whether a refusal is the key's fault: another caller with another prompt met it, and no call succeeded in between. */
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
