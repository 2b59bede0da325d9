/**
 * Replaces a model file atomically: a reader sees the old file or the new one, never a part, also after
 * a power cut at any moment.
 */
import { randomBytes } from "node:crypto"
import { dirname } from "node:path"
import { Effect, FileSystem, Result } from "effect"
import {
  decodeModelFile,
  encodeModelFile,
  FORMAT,
  type ModelFile
} from "@model-gateway/gateway/internal/classifier/model/ModelFile"
import { CommandFailed } from "../Failure.ts"
import { reasonNotWritten } from "../NotWritten.ts"

/** Bytes, as promised for a file that is loaded while requests are served. */
const LARGEST = 400_000

/** Fails unless `file` can be written: a new file, or one that is a router's model already. Called before the long work. */
export const checkTarget = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem.readFileString(file).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.void
    ),
    Effect.mapError(
      (error) => new CommandFailed({ message: `${file} can't be replaced: ${reasonNotWritten(error, "--out")}` })
    )
  )
  if (text !== undefined && !isModel(text)) {
    return yield* new CommandFailed({
      message: `${file} is there already and is no router model, so it stays as it is; choose another name with --out`
    })
  }
  // A new name is made there in either case.
  return yield* Effect.mapError(
    fileSystem.access(dirname(file), { writable: true }),
    (error) => new CommandFailed({ message: `${file} can't be written: ${reasonNotWritten(error, "--out")}` })
  )
})

/** Any version of it: a model of another release may be replaced. */
const isModel = (text: string): boolean => {
  try {
    return JSON.parse(text).format === FORMAT
  } catch {
    return false
  }
}

/** Writes `model` beside `file` and then renames it. The number of bytes, once they and the new name are on the disk. */
export const writeModel = Effect.fnUntraced(function* (file: string, model: ModelFile) {
  const text = encodeModelFile(model)
  const readBack = decodeModelFile(text)
  if (Result.isFailure(readBack) || text.length > LARGEST) {
    return yield* Effect.die(new Error(`the learnt model can't be read back, or is too large: ${text.length} bytes`))
  }
  const fileSystem = yield* FileSystem.FileSystem
  const beside = `${file}.${randomBytes(6).toString("hex")}.tmp`
  const written = Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* fileSystem.open(beside, { flag: "wx" })
      yield* opened.writeAll(new TextEncoder().encode(text))
      // A name can get to the disk before what it names: then a power cut would leave an empty model.
      yield* opened.sync
    })
  )
  yield* written.pipe(
    Effect.andThen(fileSystem.rename(beside, file)),
    Effect.onError(() => Effect.ignore(fileSystem.remove(beside))),
    Effect.mapError(
      (error) => new CommandFailed({ message: `${file} can't be written: ${reasonNotWritten(error, "--out")}` })
    )
  )
  yield* syncFolder(dirname(file))
  return text.length
})

/** Brings the names in a folder to the disk. Not every system can, and the file is in its place by now. */
const syncFolder = Effect.fnUntraced(function* (folder: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* Effect.ignore(Effect.scoped(Effect.flatMap(fileSystem.open(folder, { flag: "r" }), ({ sync }) => sync)))
})
