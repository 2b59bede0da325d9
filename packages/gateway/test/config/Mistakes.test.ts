/**
 * Mistakes that people make in their first configuration files, each with what the gateway says about it. The fixture holds blocks:
 * `=== <file>`, the text, `--- <verdict>` and the lines of the answer. Verdicts: `refused`, `warned`, `at start` (the file is right,
 * and `serve` says what is wrong with the machine), `right` (a file that must pass).
 */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, FileSystem, Result } from "effect"
import { loadSettings } from "../../src/config/LoadSettings.ts"
import { resolveDeployments } from "../../src/providers/catalogue/ResolveDeployments.ts"
import { layeredCatalogue } from "../../src/providers/catalogue/facts/Layers.ts"
import { mistypedModels } from "../../../model-gateway/src/catalogue/Notes.ts"
import { knownVendors } from "../../src/providers/vendors/Vendors.ts"
import { fixture } from "./Support.ts"

const VERDICTS = ["refused", "warned", "at start", "right"]

const blocks = fixture("mistakes.txt")
  .split(/^=== /m)
  .slice(1)
  .map((block) => {
    const [file = "", text = "", verdict = "", said = ""] =
      /^(\S+)\n(.*?)^--- (.*?)\n(.*)$/ms.exec(block)?.slice(1) ?? []
    return { file, text, verdict, said: said.split("\n").filter((line) => line !== "") }
  })

/** `refused` or `warned`, and the sentences, with their places in the file. */
const answer = Effect.fnUntraced(function* (folder: string, name: string, text: string | Buffer) {
  const file = join(folder, name)
  writeFileSync(file, text)
  const loaded = yield* Effect.result(loadSettings({ file, vendors: knownVendors, environment: {} }))
  const lines = Result.match(loaded, {
    onFailure: ({ message }) => message.split("\n"),
    onSuccess: (settings) => {
      const catalogue = layeredCatalogue(settings.catalogue)
      const deployments = resolveDeployments(settings, undefined, catalogue)
      return [...(settings.warnings ?? []), ...mistypedModels(deployments, catalogue.file, settings.places)]
    }
  })
  return {
    isRefused: Result.isFailure(loaded),
    lines: lines.map((line) => line.replaceAll(`${folder}/`, "").replaceAll(folder, "FOLDER"))
  }
})

const folder = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* files.makeTempDirectoryScoped()
})

describe("mistakes in a configuration file", () => {
  it("have known verdicts, and none is unnoticed", () => {
    assert.isAbove(blocks.length, 60)
    for (const { file, said, verdict } of blocks) {
      assert.include(VERDICTS, verdict, file)
      assert.strictEqual(said.length > 0, verdict === "refused" || verdict === "warned", file)
    }
  })

  for (const { file, said, text, verdict } of blocks) {
    it.effect(`${file}: ${verdict}`, () =>
      Effect.gen(function* () {
        const inside = yield* folder
        writeFileSync(join(inside, "garbage.db"), "this is no database, and long enough to be looked at")
        const { isRefused, lines } = yield* answer(inside, file, text)
        assert.deepStrictEqual(lines, said)
        assert.strictEqual(isRefused, verdict === "refused")
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.effect("an encoding that is not UTF-8 is named", () =>
    Effect.gen(function* () {
      const inside = yield* folder
      const utf16 = Buffer.from("\ufeffmaster_key: x\n", "utf16le")
      for (const bytes of [utf16, Buffer.from(utf16).swap16()]) {
        const { lines } = yield* answer(inside, "gateway.yaml", bytes)
        assert.deepStrictEqual(lines, ["gateway.yaml: the file is UTF-16, or no text; save it as UTF-8"])
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("carriage returns and a byte order mark are right", () =>
    Effect.gen(function* () {
      const text =
        "\ufeffmaster_key: k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E\r\nproviders: { demo: }\r\ndeployments: [demo/mini]\r\n"
      assert.deepStrictEqual(yield* answer(yield* folder, "gateway.yaml", text), { isRefused: false, lines: [] })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
