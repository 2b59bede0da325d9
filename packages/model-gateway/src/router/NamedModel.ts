/** A model that a flag names: a file, or one that ships. */
import { Effect, FileSystem, Result, type PlatformError } from "effect"
import { builtinModel } from "@model-gateway/gateway/internal/classifier/model/Builtin"
import { prepare } from "@model-gateway/gateway/internal/classifier/model/Model"
import { decodeModelFile } from "@model-gateway/gateway/internal/classifier/model/ModelFile"
import { builtinModels } from "@model-gateway/gateway/internal/core/domain/Settings"
import { CommandFailed } from "../Failure.ts"

export const modelNamed = Effect.fnUntraced(function* (name: string) {
  const builtin = builtinModel(name)
  if (builtin !== undefined) return builtin
  if (name.startsWith("builtin@")) {
    const message = `no model "${name}" ships with this release; there are ${builtinModels.join(", ")}`
    return yield* new CommandFailed({ message })
  }
  return yield* modelIn(name)
})

const unreadable = (file: string, reason: PlatformError.PlatformError["reason"]): string => {
  if (reason._tag === "NotFound") return `${file}: no such file; \`model-gateway router train\` writes a model file`
  if (reason._tag === "PermissionDenied") return `${file} can't be read: no permission`
  const isFolder = (reason.cause as NodeJS.ErrnoException | undefined)?.code === "EISDIR"
  return isFolder ? `${file} is a folder; give a model file` : `${file} can't be read: ${reason.message}`
}

const modelIn = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(Effect.mapError(({ reason }) => new CommandFailed({ message: unreadable(file, reason) })))
  return yield* Effect.fromResult(
    Result.mapBoth(decodeModelFile(text), {
      onSuccess: (decoded) => prepare(decoded),
      onFailure: ({ message }) => new CommandFailed({ message: `${file}: ${message}` })
    })
  )
})
