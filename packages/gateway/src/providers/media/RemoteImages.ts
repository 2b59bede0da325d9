/** The sizes of images on the web, from their first bytes. */
import { Effect, Layer } from "effect"
import { imageSize } from "../../core/media/ImageSize.ts"
import { RemoteImage } from "../../core/media/Measure.ts"
import { PublicFetch } from "../transport/PublicFetch.ts"

/** Nearly every image tells its size within these. */
const HEAD_BYTES = 256 * 1024

export const layer = Layer.effect(
  RemoteImage,
  Effect.gen(function* () {
    const fetch = yield* PublicFetch
    return (url: string) =>
      Effect.match(fetch(url, { maxBytes: HEAD_BYTES, headOnly: true, accepts: () => true }), {
        onFailure: () => undefined,
        onSuccess: ({ bytes }) => imageSize(bytes)
      })
  })
)
