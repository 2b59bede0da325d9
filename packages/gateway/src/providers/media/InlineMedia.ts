/** Puts what a request has by address into it, for providers that take bytes only. Others get the addresses, but of what a budget measured. */
import { Effect } from "effect"
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { Unsupported } from "../../core/domain/Failures.ts"
import type { MediaPart } from "../../core/media/Contents.ts"
import { imageSize } from "@model-gateway/protocol/files"
import type { Look } from "../../core/media/Measure.ts"
import type { MediaRequest } from "../../core/operations/RemoteImage.ts"
import { type Contents, type MediaKind, type MediaPlace, placed, placesIn } from "./MediaPlaces.ts"
import { hostOf } from "../transport/PrivateHost.ts"
import type { Fetch } from "../transport/PublicFetch.ts"

const MAX_BYTES = 10 * 1024 * 1024
/** For all media of one request together. */
const MAX_TOTAL_BYTES = 30 * 1024 * 1024
const MAX_PARTS = 16
const AT_ONCE = 4

/** What servers call a file that they know nothing of. */
const UNKNOWN = "application/octet-stream"

const DOCUMENT =
  /^(?:application\/(?:pdf|json|xml|msword|vnd\.ms-excel|vnd\.openxmlformats-officedocument\.[\w.+-]+|octet-stream)|(?:text|image)\/[\w.+-]+)$/

const accepted: { readonly [Kind in MediaKind]: (mediaType: string) => boolean } = {
  image: (mediaType) => /^image\/[\w.+-]+$/.test(mediaType) || mediaType === UNKNOWN,
  file: (mediaType) => DOCUMENT.test(mediaType),
  audio: (mediaType) => /^audio\/[\w.+-]+$/.test(mediaType)
}

const WORDS: { readonly [Kind in MediaKind]: string } = {
  image: "the image",
  file: "the file",
  audio: "the recording"
}

interface FetchedMedia {
  readonly known: Map<string, Contents>
  /** The names of those whose size a budget was told. */
  readonly measured: Set<string>
}

/** For all attempts at a request, whose list of media is the same object throughout; requests without media share theirs. */
const fetched = new WeakMap<object, FetchedMedia>()

const keptFor = ({ media }: MediaRequest): FetchedMedia => {
  const kept = media.length === 0 ? undefined : fetched.get(media)
  if (kept !== undefined) return kept
  const none: FetchedMedia = { known: new Map(), measured: new Set() }
  if (media.length > 0) fetched.set(media, none)
  return none
}

export const hasMeasured = ({ media }: MediaRequest): boolean => (fetched.get(media)?.measured.size ?? 0) > 0

/** Measures those images that `inlineMedia` can put in their places. */
export const measuredIn = (request: MediaRequest, fetch: Fetch): Look => {
  const conversation = request.body[request.contents]
  const places = Array.isArray(conversation) ? placesIn(conversation, request.contents) : []
  return Effect.fnUntraced(function* ({ path, source = "" }: MediaPart) {
    const place = places.find(
      ({ kind, param, url }) => kind === "image" && param.startsWith(`${path}.`) && url === source.trim()
    )
    if (place === undefined) return undefined
    const { known, measured } = keptFor(request)
    const name = nameOf(place)
    const found = known.get(name) ?? (yield* Effect.orElseSucceed(contentsOf(place, fetch), () => undefined))
    if (found === undefined) return undefined
    // Another part with the same address may have been faster.
    const one = known.get(name) ?? found
    const held = places.map(nameOf).map((other) => bytesOf(other === name ? one : known.get(other)))
    if (held.reduce((sum, bytes) => sum + bytes, 0) > MAX_TOTAL_BYTES) return undefined
    known.set(name, one)
    const size = imageSize(Buffer.from(one.base64, "base64"), one.mediaType)
    if (size !== undefined) measured.add(name)
    return size
  })
}

/** The call with its media inside; the same object if it has none by address. */
export const inlineMedia = Effect.fnUntraced(function* (call: UpstreamCall, fetch: Fetch) {
  const { body, contents } = call.request
  const conversation = body[contents]
  const { known, measured } = keptFor(call.request)
  const isOwn = ownAddress(call.deployment.baseUrl)
  const takesBytes = call.deployment.inlineImages === true
  const { mediaHosts: hosts } = call.deployment
  const isAllowed = (url: string) => hosts?.includes(hostOf(url) ?? "") === true
  const places = Array.isArray(conversation)
    ? placesIn(conversation, contents).filter(
        (place) => measured.has(nameOf(place)) || ((takesBytes || isAllowed(place.url)) && !isOwn(place.url))
      )
    : []
  if (places.length === 0 || !Array.isArray(conversation)) return call
  if (takesBytes && places.length > MAX_PARTS) {
    const message = `this provider takes media as data only, and at most ${MAX_PARTS} are fetched for a request`
    return yield* new Unsupported({ message, param: places[MAX_PARTS]!.param })
  }
  // Of addresses that stand several times, the first.
  const wanted = new Map<string, MediaPlace>()
  for (const place of places) if (!wanted.has(nameOf(place))) wanted.set(nameOf(place), place)
  let room = MAX_TOTAL_BYTES
  yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* ([name, place]) {
      const one = known.get(name) ?? (yield* contentsOf(place, fetch, hosts))
      known.set(name, one)
      room -= bytesOf(one)
      if (room < 0) return yield* tooLarge(place)
    }),
    { concurrency: AT_ONCE, discard: true }
  )
  const found = new Map<string, Contents>()
  room = MAX_TOTAL_BYTES
  for (const place of places) {
    const one = known.get(nameOf(place))
    if (one === undefined) continue
    room -= bytesOf(one)
    if (room < 0) return yield* tooLarge(place)
    found.set(place.param, one)
  }
  const inlined = placed(conversation, contents, found)
  return { ...call, request: { ...call.request, body: { ...body, [contents]: inlined } } } satisfies UpstreamCall
})

const nameOf = ({ kind, url }: MediaPlace): string => `${kind} ${url}`

const bytesOf = (one: Contents | undefined): number => (one === undefined ? 0 : Math.floor((one.base64.length * 3) / 4))

const tooLarge = ({ param }: MediaPlace) =>
  new Unsupported({ param, message: `\`${param}\` makes the media of this request larger than 30 MiB together` })

const contentsOf = Effect.fnUntraced(function* (
  { kind, param, url }: MediaPlace,
  fetch: Fetch,
  hosts?: ReadonlyArray<string>
) {
  const refused = (why: string) =>
    new Unsupported({ param, message: `\`${param}\` ${why}; send ${WORDS[kind]} as a data URL` })
  const { bytes, mediaType } = yield* Effect.mapError(
    fetch(url, { maxBytes: MAX_BYTES, accepts: accepted[kind], hosts }),
    ({ message }) => refused(message)
  )
  const type = mediaType === UNKNOWN ? typeIn(bytes) : mediaType
  if (type === undefined || !accepted[kind](type)) return yield* refused("does not say what kind of file it is")
  return { mediaType: type, base64: bytes.toString("base64") } satisfies Contents
})

const BEGINNINGS: ReadonlyArray<readonly [RegExp, mediaType: string]> = [
  [/^%PDF-/, "application/pdf"],
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[^]{4}WEBP/, "image/webp"]
]

const typeIn = (bytes: Buffer): string | undefined => {
  const head = bytes.toString("latin1", 0, 16)
  return BEGINNINGS.find(([beginning]) => beginning.test(head))?.[1]
}

/** Files at the provider's own address are its own: it alone can read them. */
const ownAddress = (baseUrl: string): ((url: string) => boolean) => {
  const origin = URL.parse(baseUrl)?.origin
  return (url) => URL.parse(url)?.origin === origin
}
