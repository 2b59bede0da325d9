/**
 * The heap of a server. Left to itself, V8 gives a process on a large machine 128 MB for what lives for a moment, and lets the rest
 * grow to four times what is in use before it collects. Half as much room is as fast, and is given back when the server is quiet
 * (`QuietHeap.ts`). The size of the young generation can only be given when a process starts, so the process is replaced by itself: it
 * keeps its id, its streams and its place under a supervisor, and takes some 40 ms longer to start.
 *
 * CPU of a plain request, all threads, on 2 cores (`npm run bench:heap`): 226 µs with 50 % and
 * helper threads, 149 µs with what is set here; 32 MB saved no more.
 */
import { setFlagsFromString } from "node:v8"
import { isOwnWorker } from "../../workers/Own.ts"

const YOUNG = "--max-semi-space-size"
const YOUNG_MB = 16
/** A start allocates 60 MB, of which 25 stay: no full collection before the first answer, which takes 30 of 350 ms of CPU. */
const START = "--initial-old-space-size=64"
/** V8 does not collect by itself after eight quiet seconds: when that is worth what it costs is for `QuietHeap.ts` to say. */
const QUIET = "--no-memory-reducer"
/** Of glibc: an arena for each core, and thresholds that grow with what was freed once, keep some 40 MB that nobody uses. */
const MALLOC = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072", MALLOC_MMAP_THRESHOLD_: "131072" }
/**
 * - Per cent that the old generation may grow between two collections.
 * - The young one is collected by the main thread alone: what lives there is so little that its helpers cost more to wake than they
 *   save.
 * - Nothing is made old at birth. V8 does that at places whose objects outlived a few collections, as those of requests in flight
 *   do; one such object keeps all that it leads to until the next full collection. Of a plain request 13 kB became old, now 1.2 kB
 *   does (`npm run bench:allocation -- --survivors`), and its CPU is about half (`npm run bench:against`).
 */
const RUNNING = ["--heap-growing-percent=100", "--no-parallel-scavenge", "--no-allocation-site-pretenuring"]

/**
 * Off until the server listens: a start runs nearly everything once. The compilers are 7 MB of Node's program that a quiet server need
 * not have in memory, and leave 3 MB behind (`/proc/PID/status`, with and without `--no-opt --no-maglev --no-sparkplug`).
 */
const COMPILERS = ["sparkplug", "maglev", "turbofan"]

const servers = ["serve", "demo"]

let isStarting = false

/** Does nothing for other commands, and where it can't be done or the operator has sizes of their own. A worker has its owner's sizes. */
export const fitHeap = (): void => {
  const { argv, env, execArgv, execPath } = process
  if (!isOwnWorker() && !argv.slice(2).some((word) => servers.includes(word))) return
  const given = `${execArgv.join(" ")} ${env["NODE_OPTIONS"] ?? ""}`
  if (!given.includes("space-size")) {
    // A channel to the parent process would not survive.
    const isReplaceable = process.platform !== "win32" && env["NODE_CHANNEL_FD"] === undefined
    const args = [execPath, `${YOUNG}=${YOUNG_MB}`, START, QUIET, ...execArgv, ...argv.slice(1)]
    if (isReplaceable) process.execve?.(execPath, args, { ...MALLOC, ...env })
    return
  }
  if (!given.includes(`${YOUNG}=${YOUNG_MB}`)) return
  for (const flag of RUNNING) setFlagsFromString(flag)
  // From source Node takes the types off each file, which without compilers makes the start a quarter longer.
  if (import.meta.filename.endsWith(".ts")) return
  for (const compiler of COMPILERS) setFlagsFromString(`--no-${compiler}`)
  isStarting = true
}

/** From now on V8 compiles what is worth it. Code that Node keeps on disk is taken with either setting. */
export const started = (): void => {
  if (!isStarting) return
  isStarting = false
  for (const compiler of COMPILERS) setFlagsFromString(`--${compiler}`)
}
