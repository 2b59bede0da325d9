/** A page, or what a page loads: made when it is first asked for, kept compressed, and never of another host. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

export interface Page {
  /** `/ui/*`: it answers to `/ui` and to all below that has no page of its own. */
  readonly path: `/${string}`
  readonly contentType: string
  readonly text: Effect.Effect<string>
  /** Other rules than those of `/docs`. */
  readonly policy?: string
  /** Its path changes with what it holds: nobody has to ask twice. */
  readonly isImmutable?: boolean
}

/** Scripts run from this server only. Styles may be inline, as the reference's script makes its own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

const SECURITY = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
}

/** Brotli's levels above 5 take seconds for 3 MB, and save a tenth. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

interface Encoded {
  readonly etag: string
  readonly plain: Uint8Array
  readonly br: Uint8Array
  readonly gzip: Uint8Array
}

const encode = (text: string): Effect.Effect<Encoded> =>
  Effect.promise(async () => {
    const plain = Buffer.from(text)
    const [br, zipped] = await Promise.all([promisify(brotliCompress)(plain, QUALITY), promisify(gzip)(plain)])
    return { etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`, plain, br, gzip: zipped }
  })

const ACCEPTED = /(?:^|,)\s*(br|gzip)\s*(?=$|,|;\s*q=(?!0(?:\.0*)?\s*(?:$|,)))/gi

/** → what the client takes; `br` where it takes both. */
const encodingFor = (accept: string | undefined): "br" | "gzip" | "plain" => {
  const taken = [...(accept ?? "").matchAll(ACCEPTED)].map(([, name]) => name?.toLowerCase())
  return taken.includes("br") ? "br" : taken.includes("gzip") ? "gzip" : "plain"
}

const answerOf = (page: Page, encoded: Encoded, headers: { readonly [name: string]: string | undefined }) => {
  const common = {
    ...SECURITY,
    "content-security-policy": page.policy ?? CONTENT_SECURITY_POLICY,
    etag: encoded.etag,
    "cache-control": page.isImmutable === true ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding"
  }
  if (headers["if-none-match"] === encoded.etag) return HttpServerResponse.empty({ status: 304, headers: common })
  const encoding = encodingFor(headers["accept-encoding"])
  return HttpServerResponse.uint8Array(encoded[encoding], {
    contentType: page.contentType,
    headers: encoding === "plain" ? common : { ...common, "content-encoding": encoding }
  })
}

export const pageLayer = (page: Page) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const encoded = yield* Effect.cached(Effect.flatMap(page.text, encode))
      yield* router.add(
        "GET",
        page.path,
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          return answerOf(page, yield* encoded, request.headers)
        })
      )
    })
  )
