/** The demo vendor's images: PNG files in one colour, which the prompt decides. Always base64; streamed with previews. */
import { crc32, deflateSync } from "node:zlib"
import { Hash, Result } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { playedEvents, playedJson } from "./DemoPlayed.ts"
import { estimatedTokens } from "./DemoTokens.ts"
import { formOf } from "./DemoTranscription.ts"
import { invalidRequest, modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

const MODEL = "picture"
const USUAL_SIZE = "1024x1024"
/** Pixels of a side. */
const LARGEST = 4_096
/** Tokens that an image is said to have; it is billed by the image. */
const IMAGE_TOKENS = 272

interface DemoImageCall {
  readonly body: string
  readonly form?: Parameters<typeof formOf>[0]
  /** Epoch seconds. */
  readonly created: number
}

/** `kind`: how the types of events begin. Without a kind nothing is streamed. */
export const images = (call: DemoImageCall, kind?: string) =>
  Result.gen(function* () {
    const { created } = call
    const fields = yield* fieldsOf(call)
    const { model, prompt, quality = "auto" } = fields
    if (model !== MODEL) return yield* Result.fail(modelNotFound(String(model)))
    const size = fields["size"] === undefined || fields["size"] === "auto" ? USUAL_SIZE : String(fields["size"])
    const [, width = 0, height = 0] = (/^(\d{1,4})x(\d{1,4})$/.exec(size) ?? []).map(Number)
    if (Math.min(width, height) < 1 || Math.max(width, height) > LARGEST) {
      return yield* Result.fail(invalidRequest(`Invalid value: '${size}'.`, "size", "invalid_value"))
    }
    const count = Number(fields["n"] ?? 1)
    const said = String(prompt ?? "")
    const drawn = (index: number) => drawing(`${said} ${index}`, width, height)
    const input = estimatedTokens(said.length)
    const usage = {
      total_tokens: input + count * IMAGE_TOKENS,
      input_tokens: input,
      output_tokens: count * IMAGE_TOKENS,
      input_tokens_details: { text_tokens: input, image_tokens: 0 }
    }
    const told = { size, quality, background: "opaque", output_format: "png" }
    if (kind === undefined || String(fields["stream"] ?? false) !== "true") {
      const data = Array.from({ length: count }, (_, index) => ({ b64_json: drawn(index) }))
      return playedJson({ created, data, ...told, usage })
    }
    const previews = Array.from({ length: Number(fields["partial_images"] ?? 0) }, (_, index) => ({
      type: `${kind}.partial_image`,
      b64_json: drawn(0),
      created_at: created,
      ...told,
      partial_image_index: index
    }))
    const complete = { type: `${kind}.completed`, b64_json: drawn(0), created_at: created, ...told, usage }
    return playedEvents([...previews, complete])
  })

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
/** One bit a pixel, an index into a palette. */
const ONE_BIT = Buffer.from([1, 3, 0, 0, 0])

const drawing = (seed: string, width: number, height: number): string => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const colour = Buffer.alloc(4)
  colour.writeInt32BE(Hash.string(seed))
  const file = [
    SIGNATURE,
    chunk("IHDR", Buffer.concat([size, ONE_BIT])),
    chunk("PLTE", colour.subarray(1)),
    chunk("IDAT", deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height))),
    chunk("IEND", Buffer.alloc(0))
  ]
  return Buffer.concat(file).toString("base64")
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

const fieldsOf = ({ body, form }: DemoImageCall): Result.Result<JsonObject, VendorError> => {
  if (form !== undefined) {
    const read = formOf(form)
    return read?.file === undefined
      ? Result.fail(invalidRequest("We could not parse your multipart form.", "image"))
      : Result.succeed(Object.fromEntries(read.fields))
  }
  const value = Result.getOrUndefined(Result.try(() => JSON.parse(body) as unknown))
  return typeof value === "object" && value !== null
    ? Result.succeed({ ...value })
    : Result.fail(invalidRequest("We could not parse the JSON body of your request.", null))
}
