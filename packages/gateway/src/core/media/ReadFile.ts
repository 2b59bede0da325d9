/** Reads PDFs and recordings in one thread, small ones first, so that no file blocks the event loop. */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { PdfContents } from "@model-gateway/protocol/files"

export interface Task {
  readonly bytes: Uint8Array
  /** Of a recording: what the request says of its kind. Undefined for a PDF. */
  readonly names: ReadonlyArray<string> | undefined
  /** Bytes that may be inflated. */
  readonly room: number
}

export interface Reading {
  readonly pdf: PdfContents | undefined
  readonly seconds: number | undefined
  readonly inflated: number
}

interface Job {
  readonly size: number
  readonly load: () => Promise<Task>
  readonly done: (reading: Reading) => void
}

/** The thread's program, and its arguments for Node.js: in the sources, and in what is compiled. */
const [FILE, ARGUMENTS] = import.meta.url.endsWith(".ts")
  ? ["./MediaThread.ts", ["--conditions=model-gateway-source"]]
  : ["./MediaThread.js", []]
/** MB. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 }

const waiting: Array<Job> = []
let thread: Worker | undefined
let current: Job | undefined

/** Undefined where it can't be told. `load` is called when it is the file's turn. Interrupting it ends the reading. */
export const readFile = (size: number, load: () => Promise<Task>): Effect.Effect<Reading | undefined> =>
  Effect.callback<Reading | undefined>((resume) => {
    const job: Job = { size, load, done: (reading) => resume(Effect.succeed(reading)) }
    const next = waiting.findIndex((other) => other.size > size)
    waiting.splice(next < 0 ? waiting.length : next, 0, job)
    start()
    return Effect.sync(() => {
      const index = waiting.indexOf(job)
      if (index >= 0) waiting.splice(index, 1)
      else if (current === job) end()
    })
  })

const start = (): void => {
  if (current !== undefined) return
  const job = waiting.shift()
  if (job === undefined) {
    thread?.unref()
    return
  }
  current = job
  job.load().then(
    (task) => {
      if (current !== job) return
      thread ??= started()
      thread.ref()
      thread.postMessage(task)
    },
    () => finish(job, UNKNOWN)
  )
}

const UNKNOWN: Reading = { pdf: undefined, seconds: undefined, inflated: 0 }

const finish = (job: Job | undefined, reading: Reading): void => {
  if (job === undefined || current !== job) return
  current = undefined
  job.done(reading)
  start()
}

/** Ends the thread with what it does; the next file gets another one. */
const end = (): void => {
  const ended = thread
  thread = undefined
  current = undefined
  void ended?.terminate()
  start()
}

const started = (): Worker => {
  const worker = new Worker(new URL(FILE, import.meta.url), { execArgv: ARGUMENTS, env: {}, resourceLimits: MEMORY })
  worker.unref()
  worker.on("message", (reading: Reading) => {
    if (thread === worker) finish(current, reading)
  })
  // It ran out of memory.
  worker.on("error", () => {
    if (thread !== worker) return
    thread = undefined
    finish(current, UNKNOWN)
  })
  return worker
}
