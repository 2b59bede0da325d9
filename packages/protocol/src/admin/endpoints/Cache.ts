/** `/admin/cache`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CacheList, PurgeCacheQuery } from "../Cache.ts"
import { administrative, operating, readingOperations } from "./Administrative.ts"

export const cache = HttpApiGroup.make("cache")
  .add(
    HttpApiEndpoint.get("listCache", "/admin/cache", { success: CacheList }).annotateMerge(
      administrative({
        access: readingOperations("cache.list"),
        summary: "List what the response cache holds",
        description: "Entries and bytes of each owner."
      })
    ),
    HttpApiEndpoint.delete("purgeCache", "/admin/cache", {
      query: PurgeCacheQuery,
      success: CacheList
    }).annotateMerge(
      administrative({
        access: operating("cache.purge"),
        summary: "Delete cached responses",
        description:
          "In force on every gateway when the call returns: nothing that matches is found, and no request that began before stores its response. Name at least one of the parameters."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Response cache", description: "Responses that equal requests get again." })
  )
