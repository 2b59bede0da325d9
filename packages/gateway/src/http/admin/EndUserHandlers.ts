/** `/admin/end-users`. */
import { type EndUser, PutEndUser, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../core/domain/Errors.ts"
import { endUserScope, ownerOf } from "../../core/keys/CallerScope.ts"
import type { EndUserRecord } from "../../core/keys/EndUserRepository.ts"
import { EndUsers } from "../../core/keys/EndUsers.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import { rfc3339 } from "../errors/WireFormat.ts"
import { budgetInput, checkRaises, toBudgets, toLimits, wireBudget, wireLimits } from "../records/Limits.ts"
import { toModelRule, wireModelRule } from "../records/ScopeRecords.ts"
import { answering } from "../shared/Answer.ts"
import { type AuditAction, noteOf } from "./access/Audited.ts"
import { Nodes } from "../../core/admin/Nodes.ts"
import { refuseOlder } from "./OlderNodes.ts"
import { pageIn, pageOf, type QueryOf } from "./AdminPages.ts"
import { withBody } from "./AdminRequestBody.ts"

export const endUserHandlers = HttpApiBuilder.group(
  ServedApi,
  "endUsers",
  Effect.fnUntraced(function* (handlers) {
    const endUsers = yield* EndUsers
    const ledger = yield* SpendLedger
    const nodes = yield* Nodes
    const keys = yield* KeyStore

    /** A record of a key that is in a team would hold for nobody. */
    const checkOwner = Effect.fnUntraced(function* (owner: string) {
      if (!owner.startsWith("key:")) return
      const own = ownerOf(yield* keys.get(owner.slice(4)))
      if (own === owner) return
      const message = `\`owner\`: the key is in a team, whose keys share their end users: use ${own}`
      return yield* new InvalidField({ param: "owner", message })
    })

    const shown = Effect.fnUntraced(function* (record: EndUserRecord) {
      const { budgets } = record
      const states = budgets && (yield* ledger.budgets(endUserScope(record.owner, record.id), budgets))
      const endUser: EndUser = {
        object: "end_user",
        owner: record.owner,
        id: record.id,
        ...settingsOf(record),
        metadata: record.metadata as EndUser["metadata"],
        budgets: states && states.map(wireBudget),
        updated_at: rfc3339(record.updatedAt)
      }
      return endUser
    })

    const list = Effect.fnUntraced(function* (query: QueryOf<"listEndUsers">) {
      const page = yield* endUsers.list({ ...pageIn(query), owner: query.owner })
      const data = yield* Effect.forEach(page.endUsers, shown, { concurrency: "unbounded" })
      return pageOf(data, page.hasMore, ({ id, owner }) => endUserScope(owner, id))
    })

    const put = Effect.fnUntraced(function* (owner: string, id: string, body: PutEndUser) {
      yield* checkOwner(owner)
      const before = yield* Effect.catchTag(endUsers.get(owner, id), "NotFound", () => Effect.undefined)
      yield* checkRaises(body.budgets, before?.budgets ?? [], yield* Clock.currentTimeMillis)
      const given = {
        owner,
        id,
        name: body.name ?? null,
        limits: body.limits ? toLimits(body.limits) : null,
        budgets: (body.budgets && toBudgets({ budgets: body.budgets }, before?.budgets ?? [])) ?? null,
        modelRules: body.model_rules?.map(toModelRule) ?? null,
        blocked: body.blocked ?? false,
        metadata: body.metadata ?? {}
      }
      yield* refuseOlder(nodes)
      return yield* shown(yield* endUsers.put(given, yield* note("end_users.put")))
    })

    const remove = Effect.fnUntraced(function* (owner: string, id: string) {
      return yield* shown(yield* endUsers.delete(owner, id, yield* note("end_users.delete")))
    })

    return handlers
      .handle("listEndUsers", ({ query }) => answering(list(query)))
      .handle("getEndUser", ({ params }) => answering(Effect.flatMap(endUsers.get(params.owner, params.id), shown)))
      .handle("deleteEndUser", ({ params }) => answering(remove(params.owner, params.id)))
      .handleRaw(
        "putEndUser",
        withBody(PutEndUser, (body, { params }) => put(params.owner, params.id, body))
      )
  })
)

const settingsOf = ({ blocked, limits, metadata, modelRules, name }: EndUserRecord) => ({
  name,
  limits: limits && wireLimits(limits),
  model_rules: modelRules && modelRules.map(wireModelRule),
  blocked,
  metadata
})

const note = (action: AuditAction) =>
  noteOf(
    action,
    ({ id, owner }: EndUserRecord) => `${owner}/${id}`,
    (record) => ({ ...settingsOf(record), budgets: record.budgets && record.budgets.map(budgetInput) })
  )
