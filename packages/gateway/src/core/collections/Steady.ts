import type { Clock } from "effect"

/** Milliseconds on a clock that cannot be set, from a start that differs by process: for spans of time, and never to be shown. */
export const steadyMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
