/** Images: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { GatewayInfo } from "./Chat.ts"
import { callFailures, documented } from "../Documented.ts"
import { numericHeaders, RequestHeaders, RoutingHeaders } from "./Headers.ts"
import { open, optional } from "../Open.ts"

const model = optional(Schema.String).annotate({
  description: "A model that makes images; with `auto`, or left out, the first one that is configured.",
  examples: ["auto"]
})
const prompt = Schema.String.annotate({ description: "What the image shows." })
const wanted = {
  size: optional(Schema.String).annotate({ description: "`<width>x<height>`, or `auto`." }),
  quality: optional(Schema.String),
  response_format: optional(Schema.Literals(["url", "b64_json"])).annotate({
    description:
      "It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has."
  })
}
const streamed = {
  stream: optional(Schema.Boolean).annotate({
    description: "Answer with server-sent events, where the model has them; its images are base64."
  }),
  partial_images: optional(Schema.Int).annotate({ description: "Previews in the stream, 0 to 3." })
}
const n = optional(Schema.Int).annotate({ description: "Images to make, 1 to 10." })

export const ImagesRequest = open({ model, prompt, n, ...wanted, ...streamed }).annotate({
  identifier: "ImagesRequest",
  title: "Images request",
  examples: [{ model: "auto", prompt: "A lighthouse at dusk", size: "1024x1024" }]
})

export const ImageEditsRequest = open({
  model,
  prompt,
  images: Schema.Array(Schema.JsonObject).annotate({ description: '`{"image_url": …}`: an address or a data URL.' }),
  n,
  ...wanted,
  ...streamed
}).annotate({ identifier: "ImageEditsRequest", title: "Image edit, with images by address" })

const file = Schema.String.annotate({ format: "binary", description: "A file: PNG, JPEG or WebP." })

export const ImageEditsForm = open({
  model,
  prompt,
  image: file,
  mask: Schema.optionalKey(file),
  n: optional(Schema.String),
  ...wanted,
  stream: optional(Schema.String),
  partial_images: optional(Schema.String)
}).annotate({
  identifier: "ImageEditsForm",
  title: "Image edit, with files",
  description: "Several images are several parts `image[]`."
})

export const ImageVariationsForm = open({ model, image: file, n: optional(Schema.String), ...wanted }).annotate({
  identifier: "ImageVariationsForm",
  title: "Image variation"
})

export const Images = open({
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  data: Schema.Array(open({ b64_json: optional(Schema.String), url: optional(Schema.String) })),
  usage: Schema.optionalKey(
    open({
      input_tokens: Schema.Int,
      output_tokens: Schema.Int,
      total_tokens: Schema.Int,
      cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
    }).annotate({ identifier: "ImagesUsage" })
  ),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({
  identifier: "Images",
  title: "Images",
  description: "`usage` is there where the provider tells one; the cost is in `gateway` always."
})

const ImageEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `stream: true`: an event for each preview, then one with the image, `image_generation.completed` or `image_edit.completed`, which tells the exact cost in `gateway`. A stream that broke off ends with one `data: {"error": …}`.'
})

const ofImages = (summary: string, description: string) =>
  documented({
    failures: callFailures,
    numbers: numericHeaders,
    summary,
    description
  })

export const images = HttpApiGroup.make("images")
  .add(
    HttpApiEndpoint.post("createImage", "/v1/images/generations", {
      headers: RequestHeaders,
      payload: ImagesRequest,
      success: [HttpApiSchema.WithHeaders(Images, RoutingHeaders), ImageEvents]
    }).annotateMerge(
      ofImages(
        "Make images",
        "From a text. Images cost by the image, size and quality, or by the token, as the model does."
      )
    ),
    HttpApiEndpoint.post("editImage", "/v1/images/edits", {
      headers: RequestHeaders,
      payload: [ImageEditsRequest, ImageEditsForm.pipe(HttpApiSchema.asMultipart())],
      success: [HttpApiSchema.WithHeaders(Images, RoutingHeaders), ImageEvents]
    }).annotateMerge(
      ofImages(
        "Change images",
        "From images and a text: a form with files, or JSON with addresses. Failover sends the same files again."
      )
    ),
    HttpApiEndpoint.post("varyImage", "/v1/images/variations", {
      headers: RequestHeaders,
      payload: ImageVariationsForm.pipe(HttpApiSchema.asMultipart()),
      success: HttpApiSchema.WithHeaders(Images, RoutingHeaders)
    }).annotateMerge(ofImages("Vary an image", "From an image alone, where the model has it."))
  )
  .annotateMerge(OpenApi.annotations({ title: "Images", description: "Made, changed and varied." }))
