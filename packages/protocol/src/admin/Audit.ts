/** What administrators did. */
import { Schema } from "effect"
import { page, Timestamp, TimestampInput } from "../Values.ts"

export const auditActions = [
  "keys.create",
  "keys.update",
  "keys.revoke",
  "keys.rotate",
  "keys.import",
  "teams.put",
  "teams.delete",
  "teams.policy",
  "end_users.put",
  "end_users.delete",
  "deployments.disable",
  "deployments.enable",
  "deployments.reset",
  "config.reload",
  "content.read",
  "sessions.open",
  "sessions.close",
  "sessions.revoke",
  "sessions.close_all",
  "users.roles_changed",
  "users.update",
  "users.erase",
  "users.sign_out",
  "members.put",
  "members.delete",
  "tokens.create",
  "tokens.revoke",
  "sign_ins.approve",
  "sign_ins.deny",
  "sign_ins.revoke",
  "cache.purge"
] as const

export const AuditEntry = Schema.Struct({
  object: Schema.Literal("audit_entry"),
  id: Schema.Int,
  at: Timestamp,
  actor: Schema.Struct({
    kind: Schema.Literals([
      "master_key",
      "session",
      "sign_in_link",
      "command_line",
      "user",
      "service_token",
      "identity_provider"
    ]),
    id: Schema.String.annotate({
      description:
        "The id of the person, the service token or the session; `master_key` for the key itself; `sign_in_link` for the link that `demo` prints; `command_line` for a command on the store itself."
    }),
    name: Schema.NullOr(Schema.String).annotate({
      description: "The present name of the person or the service token; null: none, or it was erased."
    }),
    address: Schema.NullOr(Schema.String).annotate({ description: "Where the request came from; null: no address." })
  }),
  action: Schema.Literals(auditActions),
  target: Schema.NullOr(Schema.String).annotate({
    description: "The id or name of what was changed; null: there is one."
  }),
  before: Schema.Unknown.annotate({ description: "What it was, as the API shows it, without secrets; null: nothing." }),
  after: Schema.Unknown.annotate({ description: "What it is from then on; null: nothing." })
}).annotate({ identifier: "AuditEntry", title: "What an administrator did" })
export type AuditEntry = typeof AuditEntry.Type

export const AuditPage = Schema.Struct({
  ...page(AuditEntry, "Newest first.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.Int).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  })
}).annotate({ identifier: "AuditPage", title: "Page of the audit log" })
export type AuditPage = typeof AuditPage.Type

export const ListAuditQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0, { expected: "the `next` of the page before" }))),
  actor: Schema.optionalKey(
    Schema.String.annotate({ description: "Only what this person, service token or session did, or `master_key`." })
  ),
  action: Schema.optionalKey(Schema.Literals(auditActions).annotate({ description: "Only this." })),
  target: Schema.optionalKey(
    Schema.String.annotate({
      description: "Only what was done to this key, team, deployment, session, person or service token."
    })
  ),
  from: Schema.optionalKey(TimestampInput.annotate({ description: "Only from this time on, RFC 3339." })),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "Only before this time, RFC 3339." }))
}
