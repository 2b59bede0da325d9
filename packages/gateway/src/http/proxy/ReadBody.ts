/** Reads a JSON body. Media type, size and shape are checked before it is parsed. */
import { Effect } from "effect"
import type { NoRoom } from "../../core/domain/Errors.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import type { JsonBody } from "../../core/operations/RequestBody.ts"
import { type BodyTooLarge, InvalidJson, UnsupportedMediaType } from "../errors/RequestErrors.ts"
import type { HttpRequest } from "../routing/Endpoint.ts"
import { parserFor, scanned } from "./JsonGuard.ts"
import { LARGE_FROM, parseLarge } from "./LargeBodies.ts"

/** The parsed body of at most `maxBytes`, which are taken of `held`. `turn`: the turns that large bodies wait for; `maxValues`: of its values. */
export const readJson = (
  request: Pick<HttpRequest, "bytes" | "headers">,
  maxBytes: number,
  turn: ParseTurn = (work) => work,
  maxValues?: number,
  held?: HeldBytes
): Effect.Effect<JsonBody, BodyTooLarge | InvalidJson | NoRoom | UnsupportedMediaType> => {
  const refused = refusedType(request.headers)
  if (refused !== undefined) return Effect.fail(refused)
  return Effect.flatMap(request.bytes(maxBytes, held), (bytes) =>
    bytes.length >= LARGE_FROM ? large(bytes, turn, maxValues) : small(bytes, maxValues)
  )
}

const refusedType = (headers: HttpRequest["headers"]): UnsupportedMediaType | undefined => {
  const { "content-encoding": encoding, "content-type": type } = headers
  if (encoding !== undefined && encoding !== "identity") return encoded(encoding)
  if (type === undefined || type === "application/json" || isJson(type)) return undefined
  return new UnsupportedMediaType({ message: `the body must be application/json, ${wordsForType(type)}` })
}

const small = (bytes: Buffer, maxValues: number | undefined): Effect.Effect<JsonBody, InvalidJson> => {
  const scan = scanned(bytes, maxValues)
  if (typeof scan === "string") return Effect.fail(new InvalidJson({ message: scan }))
  let value: unknown
  try {
    value = parserFor(scan)(bytes.toString())
  } catch (error) {
    return Effect.fail(new InvalidJson({ message: bytes.length === 0 ? "the body is empty" : parserSays(error) }))
  }
  if (holdsInfinity(value)) return Effect.fail(new InvalidJson({ message: TOO_LARGE_NUMBER }))
  return Effect.succeed({ kind: "json", value, bytes: bytes.length })
}

const large = Effect.fnUntraced(function* (bytes: Buffer, turn: ParseTurn, maxValues: number | undefined) {
  const { long, value } = yield* turn(parseLarge(bytes, maxValues))
  yield* Effect.yieldNow
  if (holdsInfinity(value)) return yield* new InvalidJson({ message: TOO_LARGE_NUMBER })
  yield* Effect.yieldNow
  return { kind: "json", value, bytes: bytes.length, long } satisfies JsonBody as JsonBody
})

/** Bodies come as they are. */
export const refuseEncoding = ({
  "content-encoding": encoding
}: HttpRequest["headers"]): Effect.Effect<void, UnsupportedMediaType> =>
  encoding === undefined || encoding === "identity" ? Effect.void : Effect.fail(encoded(encoding))

const encoded = (encoding: string): UnsupportedMediaType =>
  new UnsupportedMediaType({
    message: `the body must come without Content-Encoding${ENCODING.test(encoding) ? `, not \`${encoding}\`` : ""}`
  })

const ENCODING = /^[\w-]{1,16}$/

/** What the body is instead, by its Content-Type. A header that is damaged may hold anything, also what belongs to another one. */
export const wordsForType = (type: string): string => {
  const name = MEDIA_TYPE.exec(type)?.[1]
  return name === undefined ? "and its Content-Type is none that is known" : `not \`${name}\``
}

const MEDIA_TYPE = /^\s*((?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]{1,60})\s*(?:;|$)/i

const TOO_LARGE_NUMBER = "the body has a number that is too large"

export type ParseTurn = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The parser turns a number too large for a double into infinity, which would be encoded as null. */
const holdsInfinity = (value: unknown): boolean => {
  if (typeof value === "number") return !Number.isFinite(value)
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(holdsInfinity)
  for (const name in value) if (holdsInfinity((value as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

const isJson = (type: string): boolean => /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)

/** Only the position is taken from the parser's message: the text around it may be a prompt. */
const parserSays = (error: unknown): string => {
  const place = /at position (\d+)(?: \(line \d+ column \d+\))?/.exec(String(error))
  return place === null ? "the body is not valid JSON" : `the body is not valid JSON ${place[0]}`
}
