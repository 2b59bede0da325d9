/** The guardrails in force. */
import { Schema } from "effect"
import { guardrailActions } from "../Receipts.ts"

const Names = Schema.Array(Schema.String)

export const GuardrailCheck = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literals(["secrets", "pii", "regex", "webhook"]),
  action: Schema.NullOr(Schema.String).annotate({ description: "What a match does; null: a webhook decides." }),
  on_error: Schema.NullOr(Schema.Literals(["deny", "allow"])).annotate({
    description: "What happens without a verdict of a webhook; null: it is none."
  }),
  paused_seconds: Schema.Int.annotate({
    description: "A webhook that failed often is not called for so long; 0: it is called."
  }),
  verdicts: Schema.Record(Schema.Literals(guardrailActions), Schema.Int).annotate({
    description: "Verdicts in receipts of this process since it started, by action."
  })
}).annotate({ identifier: "GuardrailCheck", title: "Check of guardrails" })
export type GuardrailCheck = typeof GuardrailCheck.Type

export const GuardrailList = Schema.Struct({
  object: Schema.Literal("guardrails"),
  checks: Schema.Array(GuardrailCheck),
  policies: Schema.Array(
    Schema.Struct({ name: Schema.String, request: Names, response: Names, media: Schema.Literals(["allow", "deny"]) })
  ),
  always: Names.annotate({ description: "Policies for every key." }),
  teams: Schema.Record(Schema.String, Names).annotate({ description: "Policies of teams, by their names." }),
  keys: Schema.Record(Schema.String, Names).annotate({ description: "Policies of keys, by their IDs or names." })
}).annotate({ identifier: "GuardrailList", title: "Guardrails in force" })
export type GuardrailList = typeof GuardrailList.Type
