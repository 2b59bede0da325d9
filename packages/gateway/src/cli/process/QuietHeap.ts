/**
 * Gives memory back that a server needed once: what starting it left, and what a busy hour let the heap grow to. V8 collects when
 * something is allocated, so a server that is quiet would keep all of it.
 */
import { flushCompileCache } from "node:module"
import { performance } from "node:perf_hooks"
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

/** How often it is looked whether the server is quiet, ms. */
const LOOK_EVERY_MS = 5_000
/** Looks in a row that must find it quiet. */
const LOOKS = 2
/**
 * The same after work. A collection throws away what V8 compiled for objects of which none is alive then, which is all of a request's
 * way: its next 50,000 requests take 100 µs each instead of 75 (`npm run bench:proxy`), which a pause of some seconds is not worth.
 */
const LOOKS_AFTER_WORK = 6
/** Of the event loop since the last collection, ms. */
const WORK_MS = 1_000
/** The share of its time that a quiet event loop is busy. That of a server that nobody asked was busy for 0.0014 to 0.0026. */
const QUIET = 0.006
/** Bytes that a heap must have grown by since the last time: the pause of some 50 ms is not worth less. */
const WORTH = 32 * 1024 * 1024

/** The heap of a process, and how busy its event loop is. */
export interface Heap {
  /** The share of the time since it was asked last, 0 to 1. */
  readonly busy: () => number
  /** Bytes. */
  readonly size: () => number
  /** Collects all there is to collect, and gives it back. The code that was compiled so far is on the disk then, for the next start. */
  readonly collect: () => void
}

/** Collects when the server is quiet for the first time, and from then on whenever the heap has grown and it is quiet again. */
export const collectWhenQuiet = Effect.fnUntraced(function* (heap: Heap) {
  // A worker's heap is less than that after its start, and a third of it is what the start left.
  let kept = -Infinity
  let quietFor = 0
  let workMs = 0
  heap.busy()
  while (true) {
    yield* Effect.sleep(LOOK_EVERY_MS)
    const busy = heap.busy()
    workMs += busy * LOOK_EVERY_MS
    quietFor = busy <= QUIET ? quietFor + 1 : 0
    const looks = workMs < WORK_MS ? LOOKS : LOOKS_AFTER_WORK
    if (quietFor < looks || heap.size() - kept < WORTH) continue
    heap.collect()
    kept = heap.size()
    workMs = 0
  }
})

export const processHeap: Effect.Effect<Heap> = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as (options: object) => void
  let before = performance.eventLoopUtilization()
  return {
    busy: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    size: () => getHeapStatistics().total_physical_size,
    collect: () => {
      // Before it: a collection throws compiled functions away that were not used lately. What a start has read of the cache goes, too: 4 MB.
      flushCompileCache()
      collect({ type: "major", execution: "sync", flavor: "last-resort" })
    }
  }
})
