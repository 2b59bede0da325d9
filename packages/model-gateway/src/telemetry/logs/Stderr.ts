/** Standard error as the place for log lines, without making the event loop wait for whoever reads it. */
import * as fs from "node:fs"
import { Effect, Layer } from "effect"
import { LogOutput } from "./LogWriter.ts"

const STDERR = 2
/** A pipe that is full is tried again after this. */
const FULL_MS = 10

export const layer = Layer.succeed(LogOutput, { write: (text) => writeAll(Buffer.from(text)) })

const writeAll = (bytes: Buffer): Effect.Effect<void> =>
  Effect.flatMap(writeSome(bytes), (written) => {
    if (written === bytes.length) return Effect.void
    const rest = written < 0 ? bytes : bytes.subarray(written)
    return Effect.andThen(written < 0 ? Effect.sleep(FULL_MS) : Effect.void, writeAll(rest))
  })

/** How many bytes went out; less than none when there is no room. A reader that is gone takes everything. */
const writeSome = (bytes: Buffer): Effect.Effect<number> =>
  Effect.callback((resume) => {
    fs.write(STDERR, bytes, (error, written) => {
      resume(Effect.succeed(error === null ? written : error.code === "EAGAIN" ? -1 : bytes.length))
    })
  })
