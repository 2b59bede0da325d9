/** Fetches what an answer only gives an address of, where the caller asked for the contents. */
import { Effect } from "effect"
import { ProviderFailure } from "../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../core/operations/LiftedAnswer.ts"
import type { RemoteContents } from "../../core/pool/Protocol.ts"
import type { Fetch } from "../transport/PublicFetch.ts"

const AT_ONCE = 4

/** The answer was made, and what it used is billed even if it can't be fetched. */
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
          type: null,
          code: null,
          param: null,
          ...(answer.usage === undefined ? undefined : { usage: answer.usage })
        })
    )
  )
