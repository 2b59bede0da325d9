/** A disk that forgets, in a power cut, what was not synced. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, PlatformError } from "effect"
import { defaultModel } from "../../../gateway/src/classifier/model/Builtin.ts"
import { encodeModelFile } from "../../../gateway/src/classifier/model/ModelFile.ts"
import { checkTarget, writeModel } from "../../src/router/WriteModel.ts"

const FOLDER = "/models"
const FILE = `${FOLDER}/my-router.json`

/** What a file holds, and how much of that a power cut leaves. */
interface Content {
  now: string
  onDisk: string
}

/**
 * A folder with the model `old`. After each step it notes what a power cut could leave under the model's name: names may be on the
 * disk before anybody asked for it, in the worst case without their contents.
 */
const forgetfulDisk = () => {
  const old: Content = { now: "old", onDisk: "old" }
  const names = new Map([[FILE, old]])
  let namesOnDisk = new Map(names)
  const left = new Set<string | undefined>()
  const step = (change: () => void) =>
    Effect.sync(() => {
      change()
      for (const found of [names, namesOnDisk]) left.add(found.get(FILE)?.onDisk)
    })
  const layer = FileSystem.layerNoop({
    open: (path) => {
      if (path === FOLDER) return Effect.succeed(opened(step(() => void (namesOnDisk = new Map(names)))))
      const content: Content = { now: "", onDisk: "" }
      const write = (bytes: Uint8Array) => step(() => void (content.now += new TextDecoder().decode(bytes)))
      const sync = step(() => void (content.onDisk = content.now))
      return Effect.as(
        step(() => void names.set(path, content)),
        opened(sync, write)
      )
    },
    rename: (from, to) =>
      step(() => {
        names.set(to, names.get(from)!)
        names.delete(from)
      }),
    remove: (path) => step(() => void names.delete(path))
  })
  return { layer, left, afterwards: () => [...namesOnDisk].map(([name, { onDisk }]) => [name, onDisk]) }
}

const opened = (sync: Effect.Effect<void>, writeAll: (bytes: Uint8Array) => Effect.Effect<void> = () => Effect.void) =>
  ({ sync, writeAll }) as unknown as FileSystem.File

describe("writing a model", () => {
  it.effect("into a folder that takes no new names is refused before the work, a model being there or not", () =>
    Effect.gen(function* () {
      const failure = (_tag: "PermissionDenied" | "NotFound", method: string) =>
        PlatformError.systemError({ _tag, module: "FileSystem", method })
      const access = (path: string) =>
        path === FOLDER ? Effect.fail(failure("PermissionDenied", "access")) : Effect.void
      for (const readFileString of [
        () => Effect.succeed(encodeModelFile(defaultModel.file)),
        () => Effect.fail(failure("NotFound", "readFileString"))
      ]) {
        const locked = FileSystem.layerNoop({ access, readFileString })
        const error = yield* Effect.flip(Effect.provide(checkTarget(FILE), locked))
        assert.match(error.message, /^\/models\/my-router\.json can't be written: .*permission/)
      }
    })
  )

  it.effect("leaves the old one or the new one in a power cut at any moment, and the new one once it is done", () =>
    Effect.gen(function* () {
      const { afterwards, layer, left } = forgetfulDisk()
      const text = encodeModelFile(defaultModel.file)
      assert.strictEqual(yield* Effect.provide(writeModel(FILE, defaultModel.file), layer), text.length)
      assert.deepStrictEqual([...left], ["old", text])
      assert.deepStrictEqual(afterwards(), [[FILE, text]])
    })
  )
})
