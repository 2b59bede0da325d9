/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { Upload } from "../Upload.ts"
import type { GatewayInfo } from "./Inference.ts"

/** `usage` is there where the provider tells one; the cost is in `gateway` always. */
export interface Images {
  /** Seconds since 1970. */
  readonly created: number
  readonly data: ReadonlyArray<{
    readonly b64_json?: string | null | undefined
    readonly url?: string | null | undefined
    readonly [field: string]: unknown
  }>
  readonly usage?: ImagesUsage | undefined
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface ImagesUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

export interface ImageVariationsForm {
  /** A model that makes images; with `auto`, or left out, the first one that is configured. */
  readonly model?: string | null | undefined
  /** A file: PNG, JPEG or WebP. */
  readonly image: Upload
  readonly n?: string | null | undefined
  /** `<width>x<height>`, or `auto`. */
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  /** It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has. */
  readonly response_format?: "url" | "b64_json" | null | undefined
  readonly [field: string]: unknown
}

/** Several images are several parts `image[]`. */
export interface ImageEditsForm {
  /** A model that makes images; with `auto`, or left out, the first one that is configured. */
  readonly model?: string | null | undefined
  /** What the image shows. */
  readonly prompt: string
  /** A file: PNG, JPEG or WebP. */
  readonly image: Upload
  /** A file: PNG, JPEG or WebP. */
  readonly mask?: Upload | undefined
  readonly n?: string | null | undefined
  /** `<width>x<height>`, or `auto`. */
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  /** It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has. */
  readonly response_format?: "url" | "b64_json" | null | undefined
  readonly stream?: string | null | undefined
  readonly partial_images?: string | null | undefined
  readonly [field: string]: unknown
}

export interface ImageEditsRequest {
  /** A model that makes images; with `auto`, or left out, the first one that is configured. */
  readonly model?: string | null | undefined
  /** What the image shows. */
  readonly prompt: string
  /** `{"image_url": …}`: an address or a data URL. */
  readonly images: ReadonlyArray<{ readonly [field: string]: unknown }>
  /** Images to make, 1 to 10. */
  readonly n?: number | null | undefined
  /** `<width>x<height>`, or `auto`. */
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  /** It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has. */
  readonly response_format?: "url" | "b64_json" | null | undefined
  /** Answer with server-sent events, where the model has them; its images are base64. */
  readonly stream?: boolean | null | undefined
  /** Previews in the stream, 0 to 3. */
  readonly partial_images?: number | null | undefined
  readonly [field: string]: unknown
}

export interface ImagesRequest {
  /** A model that makes images; with `auto`, or left out, the first one that is configured. */
  readonly model?: string | null | undefined
  /** What the image shows. */
  readonly prompt: string
  /** Images to make, 1 to 10. */
  readonly n?: number | null | undefined
  /** `<width>x<height>`, or `auto`. */
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  /** It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has. */
  readonly response_format?: "url" | "b64_json" | null | undefined
  /** Answer with server-sent events, where the model has them; its images are base64. */
  readonly stream?: boolean | null | undefined
  /** Previews in the stream, 0 to 3. */
  readonly partial_images?: number | null | undefined
  readonly [field: string]: unknown
}
