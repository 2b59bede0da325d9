/** `GET /v1/responses/{id}/input_items`: what the model was given for a stored response, in pages. */
import { Effect } from "effect"
import { HeldBytes, type SharedCapacity } from "../../../../core/limits/BytesInFlight.ts"
import { ResponseStore } from "../../../../core/responses/ResponseStore.ts"
import { type Endpoint, type EndpointOptions, json } from "../../../routing/Endpoint.ts"
import { checkInclude, numberIn, oneIn, queryOf } from "./Query.ts"

const DEFAULT_PAGE = 20
const LARGEST_PAGE = 100

export const inputItemsEndpoint = Effect.fnUntraced(function* (
  { maxBodyBytes }: EndpointOptions,
  inFlight: SharedCapacity
) {
  const store = yield* ResponseStore

  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (request, { key }) {
    const query = queryOf(request)
    const limit = yield* Effect.fromResult(numberIn(query, "limit", 1, LARGEST_PAGE))
    const order = yield* Effect.fromResult(oneIn(query, "order", ["asc", "desc"]))
    yield* Effect.fromResult(checkInclude(query))
    const filter = { limit: limit ?? DEFAULT_PAGE, order: order ?? "desc", after: query.get("after") || undefined }
    const room = { held: (request.held = new HeldBytes(inFlight, key.id)), maxBytes: maxBodyBytes }
    const { hasMore, items } = yield* store.inputItems(key.id, request.params["id"]!, filter, room)
    return json({
      object: "list",
      data: items,
      first_id: items[0]?.["id"] ?? "",
      last_id: items.at(-1)?.["id"] ?? "",
      has_more: hasMore
    })
  })
  return { method: "GET", path: "/v1/responses/{id}/input_items", handle } satisfies Endpoint
})
