/** `/admin/end-users`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndUser, endUserPath, EndUserPage, ListEndUsersQuery, PutEndUser } from "../Scopes.ts"
import { administrative, operating, pageLimit, readingOperations } from "./Administrative.ts"

export const endUsers = HttpApiGroup.make("endUsers")
  .add(
    HttpApiEndpoint.get("listEndUsers", "/admin/end-users", {
      query: ListEndUsersQuery,
      success: EndUserPage
    }).annotateMerge(
      administrative({
        access: readingOperations("end_users.list"),
        numbers: { limit: pageLimit("End users") },
        summary: "List end users",
        description: "Those that have a record, in pages. End users need none: the template of their key or team holds."
      })
    ),
    HttpApiEndpoint.get("getEndUser", "/admin/end-users/:owner/:id", {
      params: endUserPath,
      success: EndUser
    }).annotateMerge(
      administrative({
        access: readingOperations("end_users.read"),
        failures: [404],
        summary: "Inspect an end user",
        description: "What was set for it. Not found is one that has no record, though it may send requests."
      })
    ),
    HttpApiEndpoint.put("putEndUser", "/admin/end-users/:owner/:id", {
      params: endUserPath,
      payload: PutEndUser,
      success: EndUser
    }).annotateMerge(
      administrative({
        access: operating("end_users.put"),
        failures: [413, 415],
        summary: "Set limits and budgets of an end user",
        description: "All of them. In force on every gateway when the response comes."
      })
    ),
    HttpApiEndpoint.delete("deleteEndUser", "/admin/end-users/:owner/:id", {
      params: endUserPath,
      success: EndUser
    }).annotateMerge(
      administrative({
        access: operating("end_users.delete"),
        failures: [404],
        summary: "Delete an end user's record",
        description: "The template of its key or team holds again. Its spend stays in the ledger."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "End users", description: "Limits and budgets of a product's end users." })
  )
