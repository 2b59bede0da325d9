/** Fetches what a response only gives an address of, where the caller asked for the contents. */
import { Effect, Layer } from "effect"
import { ProviderFailure } from "../../core/domain/Failures.ts"
import { RemoteImage } from "../../core/operations/RemoteImage.ts"
import type { RemoteContents, LiftedAnswer } from "../../core/pool/Protocol.ts"
import { type Fetch, PublicFetch } from "../transport/PublicFetch.ts"
import { measuredIn } from "./InlineMedia.ts"

/** The sizes of images on the web. */
export const layer = Layer.effect(
  RemoteImage,
  Effect.map(PublicFetch, (fetch) => (request) => measuredIn(request, fetch))
)

const AT_ONCE = 4

/** The response was made, and what it used is billed even if it can't be fetched. */
export const withContents = <A extends LiftedAnswer>(
  answer: A,
  { accepts, largest, placed, urls }: RemoteContents,
  fetch: Fetch
): Effect.Effect<A, ProviderFailure> =>
  Effect.forEach(urls, (url) => fetch(url, { maxBytes: largest, accepts }), { concurrency: AT_ONCE }).pipe(
    Effect.map((contents) => ({ ...answer, ...placed(contents.map(({ bytes }) => bytes)) })),
    Effect.mapError(
      ({ message }) =>
        new ProviderFailure({
          class: "truncated",
          status: 200,
          message: `the provider gave an address that ${message}`,
          ...(answer.usage === undefined ? undefined : { usage: answer.usage })
        })
    )
  )
