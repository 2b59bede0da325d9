/** `/admin/audit`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuditPage, ListAuditQuery } from "../Audit.ts"
import { administrative, pageLimit, reading } from "./Administrative.ts"

export const audit = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/admin/audit", { query: ListAuditQuery, success: AuditPage }).annotateMerge(
      administrative({
        access: reading("audit.list"),
        numbers: {
          limit: pageLimit("Entries"),
          after: { type: "integer", minimum: 1, description: "The `next` of the page before." }
        },
        summary: "List what administrators did",
        description:
          "Every change through this API: who, what, before and after without secrets, when, from where. Entries are never changed or deleted."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Audit log", description: "What administrators did." }))
