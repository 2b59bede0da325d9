import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, FileSystem, PlatformError } from "effect"
import { notWritten, reasonNotWritten } from "../src/NotWritten.ts"

/** What the real file system says, in our words. */
const said = (file: string, flag: "wx" | "w" = "wx") =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const error = yield* Effect.flip(fileSystem.writeFileString(file, "text", { flag }))
    return notWritten(file, "--out")(error).message
  })

describe("a file that can't be written", () => {
  it.layer(NodeServices.layer)((it) => {
    it.effect("is told of in words, whatever the file system says", () =>
      Effect.gen(function* () {
        const fileSystem = yield* FileSystem.FileSystem
        const folder = yield* fileSystem.makeTempDirectoryScoped()
        const file = join(folder, "there")
        writeFileSync(file, "mine")
        assert.strictEqual(
          yield* said(file),
          `${file} is there already and stays as it is; choose another name with --out, or move it away first`
        )
        const nowhere = join(folder, "no", "file")
        assert.strictEqual(
          yield* said(nowhere),
          `${nowhere} can't be written: its folder does not exist; make the folder first`
        )
        const below = join(file, "file")
        assert.strictEqual(yield* said(below), `${below} can't be written: a part of its path is a file, not a folder`)
        assert.strictEqual(yield* said(folder, "w"), `${folder} can't be written: it is a folder`)
        if (existsSync("/dev/full"))
          assert.strictEqual(yield* said("/dev/full", "w"), "/dev/full can't be written: the disk is full")
      })
    )
  })

  it("says of a file system that is read-only that it is", () => {
    const cause = Object.assign(new Error("EROFS: read-only file system, open 'x'"), { code: "EROFS" })
    const error = PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "writeFile", cause })
    assert.strictEqual(
      reasonNotWritten(error, "--config"),
      "the file system is read-only; choose another place with --config"
    )
  })
})
