/** The body of a `node:http` request. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { BodyTooLarge, InvalidJson } from "../HttpErrors.ts"

/** The whole body, unless it exceeds `maxBytes` or breaks off. */
export const readBytes = (
  request: IncomingMessage,
  maxBytes: number
): Effect.Effect<Buffer, BodyTooLarge | InvalidJson> =>
  Effect.callback((resume) => {
    const announced = Number(request.headers["content-length"] ?? 0)
    if (announced > maxBytes) return resume(Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })))
    const chunks: Array<Buffer> = []
    let size = 0
    let over = false
    const end = (result: Effect.Effect<Buffer, BodyTooLarge | InvalidJson>) => {
      if (over) return
      over = true
      resume(result)
    }
    request
      .on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size <= maxBytes) chunks.push(chunk)
        else end(Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })))
      })
      .on("end", () => end(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))))
      .on("error", () => end(brokenOff))
      .on("close", () => end(brokenOff))
  })

const brokenOff = Effect.fail(new InvalidJson({ message: "the body broke off" }))
