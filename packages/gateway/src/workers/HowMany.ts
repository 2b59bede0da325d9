/** How many workers the settings ask for. */
import { availableParallelism } from "node:os"
import type { Settings } from "../core/domain/Settings.ts"

/** With so many cores one process leaves none idle: what it does beside its requests, and the system, take the other. */
const FEW_CORES = 2

/** 1: the gateway is one process. Where nothing is said, it is that on few cores, for a trial and for stores that workers don't share. */
export const workersOf = (
  { providers, server: { workers }, store }: Settings,
  cores = availableParallelism()
): number => {
  if (typeof workers === "number") return workers
  if (workers === "auto") return cores
  const isTrial = store.sqlite === ":memory:" || providers.every(({ vendor }) => vendor === "demo")
  return cores <= FEW_CORES || isTrial || store.postgres !== undefined ? 1 : cores
}
