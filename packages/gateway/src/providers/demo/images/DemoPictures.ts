/** The demo vendor's images: stripes whose colours come from the prompt. Always base64; streamed with previews. */
import { Hash, Result } from "effect"
import type { JsonObject } from "../../../core/domain/Json.ts"
import { playedEvents, playedJson } from "../sound/DemoPlayed.ts"
import { png } from "./DemoPng.ts"
import { estimatedTokens } from "../DemoTokens.ts"
import { formOf } from "../sound/DemoTranscription.ts"
import { invalidRequest, modelNotFound, type VendorError } from "../DemoVendorErrors.ts"

const MODEL = "picture"
const USUAL_SIZE = "1024x1024"
/** Pixels of a side. */
const LARGEST = 4_096
/** Tokens that an image is said to have; it is billed by the image. */
const IMAGE_TOKENS = 272

interface Call {
  readonly body: string
  readonly form?: Parameters<typeof formOf>[0]
  /** Epoch seconds. */
  readonly created: number
}

/** `kind`: how the types of events begin. Without a kind nothing is streamed. */
export const pictures = (call: Call, kind?: string) =>
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
      b64_json: drawing(`${said} 0`, width >> 2 || 1, height >> 2 || 1),
      created_at: created,
      ...told,
      partial_image_index: index
    }))
    const complete = { type: `${kind}.completed`, b64_json: drawn(0), created_at: created, ...told, usage }
    return playedEvents([...previews, complete])
  })

const drawing = (seed: string, width: number, height: number): string => {
  const colour = (of: string) => {
    const hash = Hash.string(of)
    return [hash & 0xff, (hash >> 8) & 0xff, (hash >> 16) & 0xff] as const
  }
  const colours = [colour(seed), colour(`${seed} again`)] as const
  return png({ width, height, stripe: Math.max(1, height >> 4), colours }).toString("base64")
}

const fieldsOf = ({ body, form }: Call): Result.Result<JsonObject, VendorError> => {
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
