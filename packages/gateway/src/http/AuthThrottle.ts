/**
 * Wrong credentials, counted by the address they come from. An address that sent too many is told to wait instead of what was wrong;
 * who presents a right one from there is let in all the same, so that nobody can lock out those behind the same address. Only
 * failures come by here: a request that is let in costs nothing.
 */
import { Context, Layer } from "effect"
import { type ClientAddress, clientAddress, type Origin } from "./ClientAddress.ts"
import { TooManyAuthFailures } from "./HttpErrors.ts"
import type { GatewayError } from "./WireError.ts"

const WINDOW_MS = 60_000
/** Addresses that are remembered; beyond them the one whose window began first is forgotten. */
const MOST_ADDRESSES = 10_000

interface Window {
  readonly startedAt: number
  failures: number
}

export class AuthThrottle extends Context.Service<
  AuthThrottle,
  {
    /**
     * What to tell of a failure at `now` (epoch ms). One about a wrong credential is counted; all others are what to tell.
     */
    readonly judge: <E extends GatewayError>(request: Origin, failure: E, now: number) => E | TooManyAuthFailures
    /** Addresses remembered now. */
    readonly size: () => number
  }
>()("gateway/http/AuthThrottle") {
  static readonly layer = (settings: {
    readonly trustedProxies: ReadonlyArray<string>
    readonly authFailuresPerMinute: number
  }) =>
    Layer.sync(AuthThrottle, () => {
      const address: ClientAddress = clientAddress(settings.trustedProxies)
      /** Oldest window first. */
      const windows = new Map<string, Window>()

      const judge = <E extends GatewayError>(request: Origin, failure: E, now: number) => {
        // A key that was right once is no guess, and to have none is no attempt.
        if (failure._tag !== "Unauthorized" || failure.code !== "invalid_api_key") return failure
        const from = address(request)
        const window = windows.get(from)
        if (window === undefined || isOver(window, now)) {
          windows.delete(from)
          forgetOld(windows, now)
          windows.set(from, { startedAt: now, failures: 1 })
          return failure
        }
        if (window.failures >= settings.authFailuresPerMinute) {
          const left = window.startedAt + WINDOW_MS - now
          return new TooManyAuthFailures({ retryAfterSeconds: Math.max(1, Math.ceil(left / 1000)) })
        }
        window.failures++
        return failure
      }

      return { judge, size: () => windows.size }
    })
}

/** Makes room for one more. */
const forgetOld = (windows: Map<string, Window>, now: number): void => {
  for (const [address, window] of windows) {
    if (windows.size < MOST_ADDRESSES && !isOver(window, now)) return
    windows.delete(address)
  }
}

/** Also where the clock was set back since it began. */
const isOver = ({ startedAt }: Window, now: number): boolean => now < startedAt || now - startedAt >= WINDOW_MS
