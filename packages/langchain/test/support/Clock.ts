/** A clock that only the test moves, for timeouts of a minute and more; shorter ones, as the network has them, stay real. */
import { afterEach, beforeEach } from "@effect/vitest"

const LEAST_MS = 60_000
/** Longer than a timer can be: it ends at once. */
const TOO_LONG_MS = 2 ** 31

const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
const running = new Map<object, { readonly at: number; readonly run: () => void }>()
let now = 0

export const useClock = (): void => {
  beforeEach(() => {
    globalThis.setTimeout = ((run: () => void, ms = 0) => {
      if (!(ms >= LEAST_MS) || ms >= TOO_LONG_MS) return real.setTimeout(run, ms)
      const timer = {}
      running.set(timer, { at: now + ms, run })
      return timer
    }) as typeof globalThis.setTimeout
    globalThis.clearTimeout = ((timer: object) => {
      if (!running.delete(timer)) real.clearTimeout(timer as never)
    }) as typeof globalThis.clearTimeout
  })
  afterEach(() => {
    Object.assign(globalThis, real)
    running.clear()
  })
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Completes when so many timers run. */
export const timers = async (count: number): Promise<void> => {
  while (running.size !== count) await turn()
}

/** Lets so much time pass, and what follows from it happen. */
export const pass = async (ms: number): Promise<void> => {
  now += ms
  for (const [timer, { at, run }] of running) {
    if (at > now) continue
    running.delete(timer)
    run()
  }
  for (let turns = 0; turns < 5; turns++) await turn()
}
