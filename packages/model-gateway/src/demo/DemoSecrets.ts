/** The demo's keys: made once, kept in its data folder, readable by their owner only. */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import { KeyStore } from "@model-gateway/gateway/internal/core/keys/KeyStore"
import { CommandFailed } from "../Failure.ts"
import { reasonNotWritten } from "../NotWritten.ts"

const OWNER_ONLY = 0o600
const MASTER_KEY_BYTES = 33

/** The master key in `<folder>/master-key`. */
export const masterKeyIn = Effect.fn("masterKeyIn")(function* (folder: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(folder, "master-key")
  yield* fileSystem.makeDirectory(folder, { recursive: true }).pipe(Effect.mapError(unusable(folder)))
  const kept = yield* readSecret(file)
  if (kept !== undefined) return kept
  const made = `mk_${randomBytes(MASTER_KEY_BYTES).toString("base64url")}`
  yield* writeSecret(file, made).pipe(Effect.mapError(unusable(folder)))
  return made
})

/** The virtual key in `<folder>/virtual-key`; a new one if the stored one is no longer valid. */
export const virtualKeyIn = Effect.fn("virtualKeyIn")(function* (folder: string) {
  const path = yield* Path.Path
  const keys = yield* KeyStore
  const file = path.join(folder, "virtual-key")
  const kept = yield* readSecret(file)
  if (kept !== undefined) {
    const works = yield* Effect.isSuccess(keys.authenticate(kept))
    if (works) return kept
  }
  const { secret } = yield* keys.create({ name: "demo" })
  yield* writeSecret(file, secret).pipe(Effect.mapError(unusable(folder)))
  return secret
})

const readSecret = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(fileSystem.readFileString(file), () => "")
  return text.trim() === "" ? undefined : text.trim()
})

const writeSecret = Effect.fnUntraced(function* (file: string, secret: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem.writeFileString(file, `${secret}\n`, { mode: OWNER_ONLY })
})

const unusable = (folder: string) => (error: PlatformError.PlatformError) => {
  // On a read-only file system Node reports ENOENT for a folder with missing parents.
  const reason =
    error.reason._tag === "NotFound" ? "no folder can be made there; choose another with --data" : undefined
  return new CommandFailed({
    message: `the data folder ${folder} can't be written: ${reason ?? reasonNotWritten(error, "--data")}`
  })
}
