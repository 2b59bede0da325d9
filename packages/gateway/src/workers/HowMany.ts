/** How many workers the settings ask for. */
import { availableParallelism, totalmem } from "node:os"
import type { Settings } from "../core/domain/Settings.ts"

/** With so many cores one process leaves none idle: what it does beside its requests, and the system, take the other. */
const FEW_CORES = 2
/** Bytes that a worker may take under load, of what the machine or its container has. */
const ROOM = 512 * 1024 * 1024

export interface Machine {
  readonly cores: number
  /** Bytes that all processes may take together. */
  readonly memory: number
}

const thisMachine = (): Machine => {
  const limit = process.constrainedMemory()
  return { cores: availableParallelism(), memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem() }
}

/**
 * 1: the gateway is one process. Where nothing is said, it is that on few cores, for a trial and for stores that workers don't share;
 * else as many as there are cores and memory for.
 */
export const workersOf = (
  { providers, server: { adminPort, workers }, store }: Settings,
  { cores, memory }: Machine = thisMachine()
): number => {
  if (typeof workers === "number") return workers
  if (workers === "auto") return cores
  if (adminPort !== undefined) return 1
  const isTrial = store.sqlite === ":memory:" || providers.every(({ vendor }) => vendor === "demo")
  if (cores <= FEW_CORES || isTrial || store.postgres !== undefined) return 1
  return Math.max(1, Math.min(cores, Math.floor(memory / ROOM)))
}
