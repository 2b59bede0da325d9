/**
 * Inlines images by URL for providers that accept only bytes: each is fetched and sent as a data URL. Providers that fetch URLs
 * themselves get the URLs.
 */
import { Effect } from "effect"
import type { JsonObject } from "../core/domain/Json.ts"
import type { UpstreamCall } from "../core/pool/Protocol.ts"
import { Unsupported } from "../core/domain/Failures.ts"
import { isObject } from "./protocols/openai/Json.ts"
import type { Fetch } from "./transport/PublicFetch.ts"

const MAX_BYTES = 10 * 1024 * 1024
/** For all images of one request together. */
const MAX_TOTAL_BYTES = 30 * 1024 * 1024
const MAX_IMAGES = 16
const AT_ONCE = 4

const isImage = (mediaType: string): boolean => /^image\/[\w.+-]+$/.test(mediaType)
const isWebUrl = (url: unknown): url is string => typeof url === "string" && /^\s*https?:/i.test(url)

interface Place {
  readonly message: number
  readonly part: number
  readonly url: string
  readonly param: string
}

/** The call with its images inlined; the same object if it has none by URL. */
export const inlineImages = Effect.fnUntraced(function* (call: UpstreamCall, fetch: Fetch) {
  const places = placesIn(call.request.body["messages"])
  if (places.length === 0) return call
  if (places.length > MAX_IMAGES) {
    const message = `this provider takes images as data URLs only, and at most ${MAX_IMAGES} are fetched for a request`
    return yield* new Unsupported({ message, param: places[MAX_IMAGES]!.param })
  }
  let room = MAX_TOTAL_BYTES
  const urls = yield* Effect.forEach(
    places,
    Effect.fnUntraced(function* ({ param, url }) {
      const refused = (why: string) => new Unsupported({ param, message: `\`${param}\` ${why}` })
      const { bytes, mediaType } = yield* Effect.mapError(
        fetch(url.trim(), { maxBytes: MAX_BYTES, accepts: isImage }),
        ({ message }) => refused(`${message}; send the image as a data URL`)
      )
      room -= bytes.length
      if (room < 0) return yield* refused("makes the images of this request larger than 30 MiB together")
      return `data:${mediaType};base64,${bytes.toString("base64")}`
    }),
    { concurrency: AT_ONCE }
  )
  const found = new Map(places.map(({ message, part }, index) => [`${message}.${part}`, urls[index]!]))
  const messages = (call.request.body["messages"] as ReadonlyArray<JsonObject>).map((message, at) =>
    Array.isArray(message["content"]) ? { ...message, content: withImages(message["content"], at, found) } : message
  )
  return { ...call, request: { ...call.request, body: { ...call.request.body, messages } } } satisfies UpstreamCall
})

const placesIn = (messages: unknown): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  if (!Array.isArray(messages)) return places
  for (const [message, { content }] of (messages as ReadonlyArray<JsonObject>).entries()) {
    if (!Array.isArray(content)) continue
    for (const [part, value] of content.entries()) {
      const url = urlOf(value)
      const param = `messages[${message}].content[${part}].image_url`
      if (isWebUrl(url)) places.push({ message, part, url, param })
    }
  }
  return places
}

/** As an object or, leniently, the URL itself. */
const urlOf = (part: unknown): unknown => {
  if (!isObject(part) || part["type"] !== "image_url") return undefined
  const image = part["image_url"]
  return isObject(image) ? image["url"] : image
}

const withImages = (content: ReadonlyArray<unknown>, message: number, found: ReadonlyMap<string, string>) =>
  content.map((part, index) => {
    const url = found.get(`${message}.${index}`)
    if (url === undefined || !isObject(part)) return part
    const image = part["image_url"]
    return { ...part, image_url: isObject(image) ? { ...image, url } : { url } }
  })
