/** The standard chat-model suite: blocks of text, images, audio and files, in LangChain's older and in its present form. */
import { assert, describe, it } from "@effect/vitest"
import { HumanMessage } from "@langchain/core/messages"
import { GatewayInputError } from "../../src/index.ts"
import { useGateway } from "../support/UseGateway.ts"
import { connect, failure } from "../support/Model.ts"

const gateway = useGateway()

/** One black pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
/** No sound at all: a header and two bytes. */
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
const text = Buffer.from("Hello from a file").toString("base64")
const address = "https://files.example.com/attachment"

type Block = Readonly<Record<string, unknown>> & { readonly type: string }
type Cases = ReadonlyArray<readonly [string, Block]>

const pictures: Cases = [
  ["address", { type: "image", source_type: "url", url: `${address}.png` }],
  ["base64", { type: "image", source_type: "base64", data: png, mime_type: "image/png" }],
  ["data URL", { type: "image", source_type: "url", url: `data:image/png;base64,${png}` }],
  ["address, present form", { type: "image", url: `${address}.png` }],
  ["base64, present form", { type: "image", data: png, mimeType: "image/png" }],
  ["the vendor's own form", { type: "image_url", image_url: { url: `${address}.png` } }]
]

const recordings: Cases = [
  ["base64", { type: "audio", source_type: "base64", data: wav, mime_type: "audio/wav" }],
  ["data URL", { type: "audio", source_type: "url", url: `data:audio/wav;base64,${wav}`, mime_type: "audio/wav" }],
  ["base64, present form", { type: "audio", data: wav, mimeType: "audio/wav" }]
]

const files: Cases = [
  [
    "base64",
    { type: "file", source_type: "base64", data: text, mime_type: "text/plain", metadata: { filename: "a.txt" } }
  ],
  [
    "data URL",
    { type: "file", source_type: "url", url: `data:text/plain;base64,${text}`, metadata: { filename: "a.txt" } }
  ],
  ["id", { type: "file", source_type: "id", id: "file-1" }],
  ["base64, present form", { type: "file", data: text, mimeType: "text/plain", metadata: { filename: "a.txt" } }],
  ["id, present form", { type: "file", fileId: "file-1" }]
]

/** A file at a provider is known to that provider alone, so the deployment must be named. */
const isThere = (block: Block) => "id" in block || "fileId" in block

const ask = async (...content: ReadonlyArray<Block>) => {
  const { model } = await connect(gateway(), content.some(isThere) ? { model: "demo/standard" } : {})
  // LangChain's types know the present form only.
  return model.invoke([new HumanMessage({ content: content as unknown as string })])
}

describe("text", () => {
  it("the older form", async () => {
    const message = await ask({ type: "text", source_type: "text", text: "Hello from a block" })
    assert.include(message.text, "Hello from a block")
  })

  it("the present form, several in one message", async () => {
    const message = await ask({ type: "text", text: "Hello" }, { type: "text", text: "and goodbye" })
    assert.include(message.text, "Hello and goodbye")
  })

  it("a text file in plain text is text", async () => {
    const older = { type: "file", source_type: "text", text: "Hello from a file", metadata: { filename: "a.txt" } }
    assert.include((await ask(older)).text, "Hello from a file")
    assert.include(
      (await ask({ type: "text-plain", text: "Hello from a file", mimeType: "text/plain" })).text,
      "Hello from a file"
    )
  })
})

const reachTheModel = (cases: Cases) => {
  for (const [form, block] of cases) {
    it(`${form}: reaches the model as an attachment`, async () => {
      assert.include((await ask({ type: "text", text: "What is this?" }, block)).text, "with 1 attachment")
    })
  }
}

describe("images", () => {
  reachTheModel(pictures)
})
describe("audio", () => {
  reachTheModel(recordings)
})
describe("files", () => {
  reachTheModel(files)
})

describe("what the wire has no form for", () => {
  for (const [what, block] of [
    ["a recording by address", { type: "audio", source_type: "url", url: `${address}.wav` }],
    ["a block that nobody knows", { type: "hologram", data: "AAAA" }]
  ] as const) {
    it(`${what}: an error at once that says what would do, and no call`, async () => {
      // Who tried this again would do so for minutes.
      const { keyId, model } = await connect(gateway(), { maxRetries: 10 })
      const message = new HumanMessage({ content: [block] as unknown as string })
      const error = await failure(model.invoke([message]))
      assert(GatewayInputError.isInstance(error))
      assert.include(error.message, `\`${block.type}\``)
      assert.deepStrictEqual(await gateway().ledger(keyId), [])
    })
  }
})

describe("pictures, recordings and files", () => {
  it.each([[{ streaming: true }], [{ outputVersion: "v1" }], [{ streaming: true, outputVersion: "v1" }]] as const)(
    "are taken by a model with %j",
    async (fields) => {
      const { model } = await connect(gateway(), { model: "demo/standard", ...fields })
      for (const [, block] of [...pictures, ...recordings, ...files]) {
        const message = await model.invoke([new HumanMessage({ content: [block] as unknown as string })])
        assert.isNotEmpty(message.text)
        assert.deepStrictEqual(
          message.contentBlocks.map(({ type }) => type),
          ["text"]
        )
      }
    }
  )
})
