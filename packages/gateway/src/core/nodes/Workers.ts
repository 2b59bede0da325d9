/** The workers of this gateway, for whoever watches it: never on a request's way. */
import { Context } from "effect"

/** What a process says of itself. */
export interface ProcessVitals {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  /** TCP connections. */
  readonly sockets: number
  /** 99th percentile of how late its event loop was over the last seconds. */
  readonly eventLoopDelaySeconds: number
}

export interface WorkerWatch {
  /** They are numbered from 1. */
  readonly count: number
  /** As it said last; undefined while it starts. */
  readonly vitals: (number: number) => ProcessVitals | undefined
  /** Workers that took a dead one's place. */
  readonly restarts: () => number
}

/** undefined: the gateway is one process. */
export const Workers = Context.Reference<WorkerWatch | undefined>("gateway/core/Workers", {
  defaultValue: () => undefined
})
