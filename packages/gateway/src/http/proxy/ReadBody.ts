/** Reads a JSON body. Media type, size and shape are checked before it is parsed. */
import { Effect } from "effect"
import type { JsonBody } from "../../core/operations/RequestBody.ts"
import { InvalidJson, UnsupportedMediaType } from "../HttpErrors.ts"
import type { WireRequest } from "./Endpoint.ts"
import { excessOf } from "./JsonGuard.ts"
import { LARGE_FROM, parseLarge } from "./LargeBodies.ts"

/** The parsed body of at most `maxBytes`. `turn`: the turns that large bodies wait for; `maxValues`: of its values. */
export const readJson = Effect.fnUntraced(function* (
  request: Pick<WireRequest, "bytes" | "headers">,
  maxBytes: number,
  turn: Turn = (work) => work,
  maxValues?: number
) {
  if (request.headers["content-encoding"] !== undefined) yield* refuseEncoding(request.headers)
  const type = request.headers["content-type"]
  if (type !== undefined && !isJson(type)) {
    return yield* new UnsupportedMediaType({
      message: `the body must be application/json, not \`${type.slice(0, 80)}\``
    })
  }
  const bytes = yield* request.bytes(maxBytes)
  if (bytes.length >= LARGE_FROM) {
    const { long, value } = yield* turn(parseLarge(bytes, maxValues))
    yield* Effect.yieldNow
    if (holdsInfinity(value)) return yield* new InvalidJson({ message: TOO_LARGE_NUMBER })
    yield* Effect.yieldNow
    return { kind: "json", value, bytes: bytes.length, long } satisfies JsonBody as JsonBody
  }
  const excess = excessOf(bytes, maxValues)
  if (excess !== undefined) return yield* new InvalidJson({ message: excess })
  const value = yield* Effect.try({
    try: () => JSON.parse(bytes.toString()) as unknown,
    catch: (error) => new InvalidJson({ message: bytes.length === 0 ? "the body is empty" : parserSays(error) })
  })
  if (holdsInfinity(value)) return yield* new InvalidJson({ message: TOO_LARGE_NUMBER })
  return { kind: "json", value, bytes: bytes.length } satisfies JsonBody as JsonBody
})

/** Bodies come as they are. */
export const refuseEncoding = ({
  "content-encoding": encoding
}: WireRequest["headers"]): Effect.Effect<void, UnsupportedMediaType> =>
  encoding === undefined || encoding === "identity"
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({
          message: `the body must come without Content-Encoding, not \`${encoding.slice(0, 40)}\``
        })
      )

const TOO_LARGE_NUMBER = "the body has a number that is too large"

type Turn = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>

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
