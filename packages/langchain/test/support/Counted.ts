/** The process's own fetch, and how often it was called: a request that was refused leaves no receipt. */
export interface Counted {
  readonly fetch: typeof globalThis.fetch
  readonly calls: () => number
}

export const counted = (): Counted => {
  let calls = 0
  return {
    fetch: (...args) => {
      calls++
      return fetch(...args)
    },
    calls: () => calls
  }
}
