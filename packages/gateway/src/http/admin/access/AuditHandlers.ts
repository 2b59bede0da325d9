/** `/admin/audit`. */
import { type AuditPage, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type AuditEntry, AuditRepository } from "../../../core/domain/AuditRepository.ts"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { answering } from "../../shared/Answer.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import type { AuditAction } from "./Audited.ts"

const DEFAULT_PAGE = 100

interface AuditQuery {
  readonly limit?: number
  readonly after?: number
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly from?: string
  readonly to?: string
}

export const auditHandlers = HttpApiBuilder.group(
  ServedApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* AuditRepository
    const identities = yield* IdentityRepository

    const list = Effect.fnUntraced(function* ({ action, actor, after, from, limit, target, to }: AuditQuery) {
      const { entries, hasMore } = yield* repository.list({
        visibility: (yield* CurrentPrincipal).visibility,
        limit: limit ?? DEFAULT_PAGE,
        after,
        actor,
        action,
        target,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to)
      })
      const names = yield* identities.names([...new Set(entries.map(({ actor: { id } }) => id))])
      const body: AuditPage = {
        object: "list",
        data: entries.map((entry) => wireEntry(entry, names.get(entry.actor.id) ?? null)),
        has_more: hasMore,
        next: hasMore ? (entries.at(-1)?.id ?? null) : null
      }
      return body
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
