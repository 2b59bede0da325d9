import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { writeFixtures } from "../../conformance/src/Fixtures.ts"
import { ConfigurationError } from "../src/index.ts"
import { fileOf, type Upload } from "../src/Upload.ts"
import { failure, gateway } from "./support/Servers.ts"

const wav = new TextEncoder().encode("RIFF1234WAVEfmt ")

async function* slowly() {
  yield wav.slice(0, 5)
  yield wav.slice(5)
}

describe("a file", () => {
  it.each<[string, Upload]>([
    ["bytes", wav],
    ["a buffer", wav.buffer],
    ["a Blob", new Blob([wav])],
    ["a stream", new Blob([wav]).stream()],
    ["pieces", slowly()],
    ["data", { data: wav }]
  ])("%s without a name are called what they begin as", async (_, upload) => {
    const { blob, name } = await fileOf(upload)
    assert.strictEqual(name, "file.wav")
    assert.deepStrictEqual(new Uint8Array(await blob.arrayBuffer()), wav)
  })

  it("has the name and the type that it is given", async () => {
    const { blob, name } = await fileOf({ data: wav, name: "voice.mp3", type: "audio/mpeg" })
    assert.strictEqual(name, "voice.mp3")
    assert.strictEqual(blob.type, "audio/mpeg")
    assert.strictEqual((await fileOf(new File([wav], "own.wav"))).name, "own.wav")
  })

  it("goes along with lists and numbers, several at once too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "model-gateway-client-"))
    try {
      writeFixtures(folder)
      const heard = await gateway().audio.transcriptions.create({
        model: "demo/transcribe",
        file: { path: join(folder, "hum.wav") },
        response_format: "verbose_json",
        temperature: 0.5,
        timestamp_granularities: ["word", "segment"]
      })
      assert.isArray(heard["segments"])
      const dot = { path: join(folder, "dot.png") }
      const { data } = await gateway().images.edit({ model: "demo/picture", prompt: "Both", image: [dot, dot], n: 2 })
      assert.lengthOf(data, 2)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("by a path has its name; one that is not there is an error before anything is sent", async () => {
    assert.strictEqual((await fileOf({ path: import.meta.filename })).name, "Upload.test.ts")
    const asked = gateway().audio.transcriptions.create({ file: { path: "/no/such/file.wav" } })
    const error = await failure(asked)
    assert.instanceOf(error, ConfigurationError)
    assert.include((error as Error).message, "/no/such/file.wav")
  })
})
