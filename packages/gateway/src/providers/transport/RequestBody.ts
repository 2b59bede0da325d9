/** The body of a request as undici sends it. */
import type { UpstreamRequest } from "../../core/pool/Transport.ts"
import { isPieced } from "./UpstreamBody.ts"

/** The request can't be sent: its own body failed. `message` says why. */
export class BodyFailed extends Error {}

/** Bytes of a piece of a large body. */
const PIECE = 64 * 1024
/** Larger bodies are sent in pieces, so that a connection whose request still waits to go out is used for no other. */
const LARGEST_WHOLE = 256 * 1024

export interface SentBody {
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** Bytes, where the content does not say. */
  readonly length: number | undefined
}

const NONE: SentBody = { content: undefined, length: undefined }

export const sentBody = ({ body, method }: Pick<UpstreamRequest, "body" | "method">): SentBody => {
  if (method === "GET") return NONE
  if (typeof body === "object" && isPieced(body)) {
    return { content: measured(body.pieces(), body.length), length: body.length }
  }
  const content = typeof body === "string" ? Buffer.from(body) : body
  if (content.length <= LARGEST_WHOLE) return { content, length: undefined }
  return { content: piecesOf(content), length: content.length }
}

async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

/** A body that is longer than announced would be read as the next request. */
async function* measured(pieces: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of pieces) {
      size += piece.length
      if (size > length) break
      yield piece
    }
  } catch (error) {
    throw new BodyFailed(error instanceof Error ? error.message : String(error))
  }
  if (size === length) return
  throw new BodyFailed(`it has ${size > length ? "more" : size} bytes where ${length} were announced`)
}
