/**
 * Inlines images by URL for providers that accept only bytes: each is fetched and sent as a data URL. Providers that fetch URLs
 * themselves get the URLs.
 */
import { Effect } from "effect"
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

/** Where an image stands: in a field of a message or an item that lists parts. */
interface Place {
  readonly message: number
  readonly field: string
  readonly part: number
  readonly url: string
  readonly param: string
}

/** The fields of messages and items that list parts. */
const LISTS = ["content", "output"]

/** The call with its images inlined; the same object if it has none by URL. */
export const inlineImages = Effect.fnUntraced(function* (call: UpstreamCall, fetch: Fetch) {
  const { body, contents } = call.request
  const conversation = body[contents]
  const places = Array.isArray(conversation) ? placesIn(conversation, contents) : []
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
  const found = new Map(places.map(({ field, message, part }, index) => [`${message}.${field}.${part}`, urls[index]!]))
  const inlined = (conversation as ReadonlyArray<unknown>).map((message, at) => {
    if (!isObject(message)) return message
    const lists = LISTS.flatMap((field) => {
      const parts = message[field]
      return Array.isArray(parts) ? [[field, withImages(parts, `${at}.${field}`, found)] as const] : []
    })
    return lists.length === 0 ? message : { ...message, ...Object.fromEntries(lists) }
  })
  return { ...call, request: { ...call.request, body: { ...body, [contents]: inlined } } } satisfies UpstreamCall
})

const placesIn = (conversation: ReadonlyArray<unknown>, contents: string): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  for (const [message, fields] of conversation.entries()) {
    if (!isObject(fields)) continue
    for (const field of LISTS) {
      const parts = fields[field]
      if (!Array.isArray(parts)) continue
      for (const [part, value] of parts.entries()) {
        const url = urlOf(value)
        const own = isObject(value) && value["type"] === "image" ? "source" : "image_url"
        const param = `${contents}[${message}].${field}[${part}].${own}`
        if (isWebUrl(url)) places.push({ message, field, part, url, param })
      }
    }
  }
  return places
}

/** As an object or, leniently, the URL itself; or as Anthropic's API has it. */
const urlOf = (part: unknown): unknown => {
  if (!isObject(part)) return undefined
  if (part["type"] === "image" && isObject(part["source"])) return part["source"]["url"]
  if (part["type"] !== "image_url" && part["type"] !== "input_image") return undefined
  const image = part["image_url"]
  return isObject(image) ? image["url"] : image
}

const withImages = (parts: ReadonlyArray<unknown>, list: string, found: ReadonlyMap<string, string>) =>
  parts.map((part, index) => {
    const url = found.get(`${list}.${index}`)
    if (url === undefined || !isObject(part)) return part
    if (part["type"] === "image") return { ...part, source: base64Source(url) }
    const image = part["image_url"]
    if (part["type"] === "input_image") return { ...part, image_url: url }
    return { ...part, image_url: isObject(image) ? { ...image, url } : { url } }
  })

/** Of a data URL. */
const base64Source = (url: string) => ({
  type: "base64",
  media_type: url.slice("data:".length, url.indexOf(";")),
  data: url.slice(url.indexOf(",") + 1)
})
