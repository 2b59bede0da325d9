/** The body of a request to an upstream, for those that need all of it at once. */
import { Effect } from "effect"
import type { PiecedBody, UpstreamBody } from "../../core/pool/Transport.ts"

export const isPieced = (body: UpstreamBody): body is PiecedBody => typeof body === "object" && "pieces" in body

export const bytesOf = (body: UpstreamBody): Effect.Effect<Uint8Array> => {
  if (typeof body === "string") return Effect.succeed(Buffer.from(body))
  if (!isPieced(body)) return Effect.succeed(body)
  return Effect.promise(async () => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of body.pieces()) pieces.push(piece)
    return Buffer.concat(pieces)
  })
}
