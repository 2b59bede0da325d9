/** A model file on disk → a model that is ready. */
import { readFile, stat } from "node:fs/promises"
import { Effect, Result } from "effect"
import { type CompiledModel, prepare } from "./Model.ts"
import { decodeModelFile, LARGEST, ModelFileInvalid } from "./ModelFile.ts"

interface LoadedModel {
  readonly text: string
  readonly model: CompiledModel
}

/** Every failure says which file it is, what is wrong with it, and what would be right. */
export const loadModel = Effect.fnUntraced(function* (file: string): Effect.fn.Return<LoadedModel, ModelFileInvalid> {
  const text = yield* Effect.tryPromise({ try: () => readModel(file), catch: (error) => why(file, error) })
  const decoded = Result.mapError(decodeModelFile(text), ({ message }) => invalid(file, message))
  return { text, model: prepare(yield* Effect.fromResult(decoded)) }
})

/** No more of it than a model can have: whatever was named, memory is not filled with it. */
const readModel = async (file: string): Promise<string> => {
  const found = await stat(file)
  if (!found.isFile()) throw new ModelFileInvalid({ message: "it is no file" })
  if (found.size > LARGEST * BYTES_PER_CHARACTER) {
    throw new ModelFileInvalid({
      message: `it has ${found.size} bytes; a model file has at most ${LARGEST} characters`
    })
  }
  return readFile(file, "utf8")
}

const BYTES_PER_CHARACTER = 4

const why = (file: string, error: unknown): ModelFileInvalid => {
  if (error instanceof ModelFileInvalid) return invalid(file, error.message)
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return invalid(
    file,
    { ENOENT: "no such file", EACCES: "no permission to read it" }[String(code)] ?? "it can't be read"
  )
}

const invalid = (file: string, message: string) => new ModelFileInvalid({ message: `router.model ${file}: ${message}` })
