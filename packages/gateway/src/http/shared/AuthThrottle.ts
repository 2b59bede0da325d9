/**
 * Counts wrong credentials by address. After too many the address is told to wait, but a right credential is still accepted, so
 * that nobody can lock out others. Accepted requests cost nothing.
 */
import { Context, Layer } from "effect"
import type { Unauthorized } from "../../core/domain/Errors.ts"
import { type ClientAddress, clientAddress, exactAddress, type AddressSource } from "./ClientAddress.ts"
import { TooManyAuthFailures } from "../errors/RequestErrors.ts"
import type { EndpointError } from "../errors/WireError.ts"

const WINDOW_MS = 60_000
/** The most addresses that are remembered; beyond that the one with the oldest window is forgotten. */
const MOST_ADDRESSES = 10_000

interface FailureWindow {
  readonly startedAt: number
  failures: number
}

export class AuthThrottle extends Context.Service<
  AuthThrottle,
  {
    /** The error for a failure at `now` (epoch ms). Counts a wrong credential, and with `isCounted` every failure. */
    readonly judge: <E extends EndpointError>(
      request: AddressSource,
      failure: E,
      now: number,
      isCounted?: boolean
    ) => E | TooManyAuthFailures
    /** The exact address of a caller. */
    readonly address: ClientAddress
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
      const windows = new Map<string, FailureWindow>()

      const judge = <E extends EndpointError>(
        request: AddressSource,
        failure: E,
        now: number,
        isCounted = isGuess(failure)
      ) => {
        if (!isCounted) return failure
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

      return { judge, address: exactAddress(settings.trustedProxies), size: () => windows.size }
    })
}

/** An expired or revoked key is no guess, and a missing one is no attempt. */
const guesses = new Set<Unauthorized["code"]>([
  "invalid_api_key",
  "invalid_service_token",
  "invalid_sign_in_link",
  "invalid_token",
  "unknown_issuer"
])

const isGuess = (failure: EndpointError): boolean => failure._tag === "Unauthorized" && guesses.has(failure.code)

/** Makes room for one more. */
const forgetOld = (windows: Map<string, FailureWindow>, now: number): void => {
  for (const [address, window] of windows) {
    if (windows.size < MOST_ADDRESSES && !isOver(window, now)) return
    windows.delete(address)
  }
}

/** Also over if the clock was set back since it began. */
const isOver = ({ startedAt }: FailureWindow, now: number): boolean => now < startedAt || now - startedAt >= WINDOW_MS
