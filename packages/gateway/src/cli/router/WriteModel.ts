/** Puts a model file in its place in one step: whoever reads there, reads the old one or the new one, never a part. */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, Result } from "effect"
import type { PlatformError } from "effect"
import { decodeModelFile, encodeModelFile, FORMAT, type ModelFile } from "../../router/ModelFile.ts"
import { CommandFailed } from "../Failure.ts"

/** Bytes, as promised for a file that is loaded while requests are served. */
const LARGEST = 400_000

/** Fails unless `file` can be written: a new file, or one that is a router's model already. Asked before the long work. */
export const checkTarget = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem.readFileString(file).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.void
    ),
    Effect.mapError((error) => new CommandFailed({ message: `${file} can't be replaced: ${reasonOf(error)}` }))
  )
  if (text === undefined || isModel(text)) return
  return yield* new CommandFailed({
    message: `${file} is there already and is no router model, so it stays as it is; choose another name with --out`
  })
})

/** Any version of it: a model of another release may be replaced. */
const isModel = (text: string): boolean => {
  try {
    return JSON.parse(text).format === FORMAT
  } catch {
    return false
  }
}

/** Writes `model` beside `file` and then renames it. */
export const writeModel = Effect.fnUntraced(function* (file: string, model: ModelFile) {
  const text = encodeModelFile(model)
  const readBack = decodeModelFile(text)
  if (Result.isFailure(readBack) || text.length > LARGEST) {
    return yield* Effect.die(new Error(`the learnt model can't be read back, or is too large: ${text.length} bytes`))
  }
  const fileSystem = yield* FileSystem.FileSystem
  const beside = `${file}.${randomBytes(6).toString("hex")}.tmp`
  yield* fileSystem.writeFileString(beside, text, { flag: "wx" }).pipe(
    Effect.andThen(fileSystem.rename(beside, file)),
    Effect.onError(() => Effect.ignore(fileSystem.remove(beside))),
    Effect.mapError((error) => new CommandFailed({ message: `${file} can't be written: ${reasonOf(error)}` }))
  )
  return text.length
})

const reasonOf = ({ reason }: PlatformError.PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "its folder does not exist; make the folder first"
    case "PermissionDenied":
      return "no permission; choose another place with --out"
    default:
      return (reason.cause as NodeJS.ErrnoException | undefined)?.code === "EISDIR" ? "it is a folder" : reason.message
  }
}
