/** The process's own fetch, watched. */
export interface Counted {
  readonly fetch: typeof globalThis.fetch
  /** How often it was called: a request that was refused leaves no receipt. */
  readonly calls: () => number
  /** Completes when an answer with this status has come. */
  readonly answered: (status: number) => Promise<void>
}

export const counted = (): Counted => {
  let calls = 0
  const statuses = new Map<number, PromiseWithResolvers<void>>()
  const ofStatus = (status: number) => {
    const known = statuses.get(status) ?? Promise.withResolvers<void>()
    statuses.set(status, known)
    return known
  }
  return {
    fetch: async (...args) => {
      calls++
      const response = await fetch(...args)
      ofStatus(response.status).resolve()
      return response
    },
    calls: () => calls,
    answered: (status) => ofStatus(status).promise
  }
}

/** A fetch that hears of an abort only after `arrived`: so that what is given up is known to have reached the gateway. */
export const reaching =
  (inner: typeof globalThis.fetch, arrived: () => Promise<unknown>): typeof globalThis.fetch =>
  (url, { signal, ...init } = {}) => {
    const given = new AbortController()
    signal?.addEventListener("abort", () => void arrived().finally(() => given.abort(signal.reason)), { once: true })
    return inner(url, { ...init, signal: given.signal })
  }
