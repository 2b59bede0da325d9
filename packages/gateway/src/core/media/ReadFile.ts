/**
 * Reads PDFs and recordings in one thread, one at a time and small ones first, so that no file blocks the event loop. Only the file that is
 * being read is in memory, once.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { PdfContents } from "@model-gateway/protocol/files"
import { usableMemory } from "../collections/UsableMemory.ts"

export interface Unread {
  /** Bytes. */
  readonly size: number
  readonly pieces: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Of a recording: what the request says of its kind. Undefined for a PDF. */
  readonly names: ReadonlyArray<string> | undefined
  /** Bytes that may be inflated. */
  readonly room: number
}

/** The thread owns `bytes`, and frees them. */
export interface Task extends Pick<Unread, "names" | "room"> {
  readonly bytes: ArrayBuffer
}

export interface Reading {
  readonly pdf: PdfContents | undefined
  readonly seconds: number | undefined
  readonly inflated: number
}

type Job = Unread & { readonly done: (reading: Reading) => void }

/** The thread's program, and its arguments for Node.js: in the sources, and in what is compiled. */
const [FILE, ARGUMENTS] = import.meta.url.endsWith(".ts")
  ? ["./MediaThread.ts", ["--conditions=model-gateway-source"]]
  : ["./MediaThread.js", []]
/** MB. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 }
/** A larger file would take more than this part of the memory, and is not read. */
const SHARE = 8

const waiting: Array<Job> = []
let thread: Worker | undefined
let current: Job | undefined

/** `pieces` is called when it is the file's turn. Interrupting it ends the reading. */
export const readFile = (file: Unread): Effect.Effect<Reading> =>
  Effect.callback<Reading>((resume) => {
    if (file.size > usableMemory() / SHARE) return resume(Effect.succeed(UNKNOWN))
    const job: Job = { ...file, done: (reading) => resume(Effect.succeed(reading)) }
    const next = waiting.findIndex((other) => other.size > file.size)
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
  load(job).catch(() => finish(job, UNKNOWN))
}

/** Stops when its request has ended. */
const load = async (job: Job): Promise<void> => {
  const { names, room, size } = job
  const bytes = new Uint8Array(size)
  let at = 0
  for await (const piece of job.pieces()) {
    if (current !== job) break
    bytes.set(piece, at)
    at += piece.length
  }
  if (current !== job) return
  thread ??= started()
  thread.ref()
  thread.postMessage({ bytes: bytes.buffer, names, room } satisfies Task, [bytes.buffer])
}

export const UNKNOWN: Reading = { pdf: undefined, seconds: undefined, inflated: 0 }

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
