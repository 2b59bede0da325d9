/** `/admin/audit`. */
import { type AuditPage, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type AuditEntry, AuditRepository } from "../../../core/domain/AuditRepository.ts"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { answering } from "../../shared/Answer.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { DEFAULT_PAGE, pageOf, type QueryOf, timeIn } from "../AdminPages.ts"
import type { AuditAction } from "./Audited.ts"

export const auditHandlers = HttpApiBuilder.group(
  ServedApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* AuditRepository
    const identities = yield* IdentityRepository

    const list = Effect.fnUntraced(function* ({
      action,
      actor,
      after,
      from,
      limit = DEFAULT_PAGE,
      target,
      to
    }: QueryOf<"listAudit">) {
      const { visibility } = yield* CurrentPrincipal
      const filter = { visibility, limit, after, actor, action, target, from: timeIn(from), to: timeIn(to) }
      const { entries, hasMore } = yield* repository.list(filter)
      const names = yield* identities.names([...new Set(entries.map(({ actor: { id } }) => id))])
      const data = entries.map((entry) => wireEntry(entry, names.get(entry.actor.id) ?? null))
      return pageOf(data, hasMore, ({ id }) => id)
    })

    return handlers.handle("listAudit", ({ query }) => answering(list(query)))
  })
)

const wireEntry = (
  { action, actor, after, at, before, id, target }: AuditEntry,
  name: string | null
): AuditPage["data"][number] => ({
  object: "audit_entry",
  id,
  at: rfc3339(at),
  actor: { kind: actor.kind, id: actor.id, name, address: actor.address === "" ? null : actor.address },
  // What a later version noted is told as it stands.
  action: action as AuditAction,
  target: target === "" ? null : target,
  before,
  after
})
