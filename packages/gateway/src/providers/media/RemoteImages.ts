/** The sizes of images on the web. */
import { Effect, Layer } from "effect"
import { RemoteImage } from "../../core/operations/RemoteImage.ts"
import { PublicFetch } from "../transport/PublicFetch.ts"
import { measuredIn } from "./InlineMedia.ts"

export const layer = Layer.effect(
  RemoteImage,
  Effect.map(PublicFetch, (fetch) => (request) => measuredIn(request, fetch))
)
