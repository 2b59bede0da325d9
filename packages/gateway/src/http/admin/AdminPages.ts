/** Queries and pages of lists in the admin API. */
import type { ServedApi } from "@model-gateway/protocol"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

type Groups = (typeof ServedApi)["groups"]

type EndpointNamed<Name extends string> = HttpApiEndpoint.WithIdentifier<
  HttpApiGroup.Endpoints<Groups[keyof Groups]>,
  Name
>

/** The query parameters of an endpoint. */
export type QueryOf<Name extends string> =
  HttpApiEndpoint.Request<EndpointNamed<Name>> extends { readonly query: infer Query } ? Query : never

/** Entries on a page whose request names no limit. */
export const DEFAULT_PAGE = 100

/** What the parameters of a paged list ask for. An empty search finds everything. */
export const pageIn = <Cursor>({
  after,
  limit = DEFAULT_PAGE,
  q
}: {
  readonly after?: Cursor
  readonly limit?: number
  readonly q?: string
}) => ({ after, limit, search: q === "" ? undefined : q })

/** `cursorOf`: what the next page is read after. */
export const pageOf = <A, Cursor>(data: ReadonlyArray<A>, hasMore: boolean, cursorOf: (last: A) => Cursor) => {
  const last = data.at(-1)
  return {
    object: "list" as const,
    data,
    has_more: hasMore,
    next: hasMore && last !== undefined ? cursorOf(last) : null
  }
}

export const listOf = <A>(data: ReadonlyArray<A>) => ({ object: "list" as const, data })

/** Epoch milliseconds of a time in RFC 3339. */
export const timeIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text)
