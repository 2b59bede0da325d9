/** Every recorded exchange about images, and streams as the vendor's description has them. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { serverSentEvents } from "../../../../../src/providers/framing/Sse.ts"
import {
  OpenAiImageEdits,
  OpenAiImages,
  OpenAiImageVariations
} from "../../../../../src/providers/protocols/openai/images/OpenAiImages.ts"
import { OpenAiProtocol } from "../../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { type Exchange, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { callOf, seeded } from "../Support.ts"

sayWhenMissing("replay of image recordings")

const families = [
  ["openai.images.generations", OpenAiImages, 5],
  ["openai.images.edits", OpenAiImageEdits, 1],
  ["openai.images.variations", OpenAiImageVariations, 2]
] as const

const textOf = ({ response }: Exchange): string => Buffer.from(response.bytes).toString("utf8")

const callFor = ({ request }: Exchange) => {
  const body = request.body ?? { model: "dall-e-2" }
  return callOf(body, { model: String(body["model"] ?? "dall-e-2") })
}

describe.skipIf(!hasData)("recorded images", () => {
  for (const [family, dialect, count] of families) {
    const exchanges = loadFamily(family)

    it(`${family}: answers come out as they are, and valid; errors keep their words`, () => {
      assert.lengthOf(exchanges, count)
      for (const exchange of exchanges) {
        const text = textOf(exchange)
        const { headers, status } = exchange.response
        if (status !== 200) {
          const failure = OpenAiProtocol.failure({ status, headers, text })
          assert.strictEqual(failure.class, "bad_request", exchange.name)
          assert.strictEqual(failure.message, JSON.parse(text).error.message, exchange.name)
          continue
        }
        const lifted = Result.getOrThrow(dialect.lift(text, callFor(exchange)))
        assert.strictEqual(lifted.text, text, exchange.name)
        assert.isUndefined(problemWith("ImagesResponse", lifted.body), exchange.name)
        assert.strictEqual(lifted.usage?.images, 1, exchange.name)
      }
    })

    it(`${family}: requests leave as they came, where they were recorded`, () => {
      for (const exchange of exchanges) {
        const { body } = exchange.request
        // Of the forms only the answers were recorded.
        if (body === undefined) continue
        const wire = Result.getOrThrow(dialect.lower(callFor(exchange)))
        assert.deepStrictEqual(JSON.parse(wire.body), body, exchange.name)
        assert.strictEqual(new URL(exchange.request.url).pathname, `/v1${wire.path}`, exchange.name)
      }
    })
  }
})

const picture = Buffer.alloc(3_000, 7).toString("base64")
const told = {
  created_at: 1_620_000_000,
  size: "1024x1024",
  quality: "high",
  background: "opaque",
  output_format: "png"
}
const usage = {
  total_tokens: 100,
  input_tokens: 50,
  output_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 }
}

/** A stream of so many images with a preview each. */
const documented = (kind: string, images: number): ReadonlyArray<JsonObject> =>
  Array.from({ length: images }, () => [
    { type: `${kind}.partial_image`, b64_json: picture, partial_image_index: 0, ...told },
    { type: `${kind}.completed`, b64_json: picture, ...told, usage }
  ]).flat()

const sse = (events: ReadonlyArray<JsonObject>, end: string) =>
  Buffer.from(
    events
      .map((event) => `event: ${String(event["type"])}${end}data: ${JSON.stringify(event)}${end}${end}`)
      .join(`: ping${end}${end}`)
  )

const play = (pieces: ReadonlyArray<Uint8Array>, body: JsonObject, choices = 1): ReadonlyArray<StreamEvent> => {
  const call = callOf({ ...body, stream: true })
  const lifter = OpenAiImages.stream({ ...call, request: { ...call.request, choices } })
  const decoder = serverSentEvents.decoder(32 * 1024 * 1024)
  const events = pieces.flatMap((piece) => decoder.push(piece).flatMap((event) => lifter.push(event)))
  return [...events, ...decoder.end().flatMap((event) => lifter.push(event)), ...lifter.end()]
}

describe("streams of images", () => {
  it.skipIf(!hasData)("are valid before and after", () => {
    for (const [kind, schema] of [
      ["image_generation", "ImageGenStreamEvent"],
      ["image_edit", "ImageEditStreamEvent"]
    ] as const) {
      for (const event of documented(kind, 1)) assert.isUndefined(problemWith(schema, event))
      const events = play([sse(documented(kind, 1), "\n")], {})
      assert.deepStrictEqual(
        events.map((event) => event.kind),
        ["content", "finish", "usage"]
      )
      for (const event of events) {
        if (event.kind === "content" || event.kind === "finish") {
          assert.isUndefined(problemWith(schema, JSON.parse(event.data)))
        }
      }
    }
  })

  it("mean the same however the network splits them", () => {
    const random = seeded(7)
    for (const end of ["\n", "\r\n"]) {
      const stream = sse(documented("image_generation", 2), end)
      const whole = play([stream], {}, 2)
      assert.deepStrictEqual(
        whole.map((event) => event.kind),
        ["content", "finish", "content", "finish", "usage"]
      )
      for (let round = 0; round < 20; round++) {
        const pieces: Array<Uint8Array> = []
        for (let at = 0; at < stream.length;) {
          const next = at + 1 + Math.floor(random() * 700)
          pieces.push(stream.subarray(at, next))
          at = next
        }
        assert.deepStrictEqual(play(pieces, {}, 2), whole)
      }
    }
  })

  it("that are cut after any event or inside one never end well", () => {
    const events = documented("image_generation", 2)
    for (let count = 0; count < events.length; count++) {
      const stream = sse(events.slice(0, count), "\n")
      for (const cut of [stream, Buffer.concat([stream, sse([events[count]!], "\n").subarray(0, 500)])]) {
        const seen = play([cut], {}, 2)
        assert.lengthOf(
          seen.filter((event) => event.kind === "finish"),
          Math.floor(count / 2)
        )
        // What came is billed.
        const last = seen.at(-1)
        const told = last?.kind === "usage" ? last.usage.imageOutput : 0
        assert.strictEqual(told, Math.floor(count / 2) * 50)
      }
    }
  })

  it("with an error, or with garbage, say so", () => {
    const failing = (text: string) => play([Buffer.from(text)], {}).map((event) => event.kind)
    assert.deepStrictEqual(failing('event: error\ndata: {"error":{"message":"moderation_blocked"}}\n\n'), ["failed"])
    assert.deepStrictEqual(failing('data: {"type":"error","error":{"message":"x"}}\n\ndata: {}\n\n'), ["failed"])
    assert.deepStrictEqual(failing("data: nonsense\n\n"), ["malformed"])
    assert.deepStrictEqual(failing('data: {"type":"image_generation.completed"}\n\n'), ["malformed"])
    assert.deepStrictEqual(failing('data: {"type":"image_generation.started"}\n\n'), ["lifecycle"])
  })
})
