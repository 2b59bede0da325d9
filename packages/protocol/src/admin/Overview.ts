/** What an administrator looks at first. */
import { Schema } from "effect"
import { BudgetUse } from "./Budgets.ts"
import { CallFailureRate, Health } from "./Deployments.ts"
import { Receipt } from "../Receipts.ts"
import { Timestamp, TimeOrDay, TimeZone, Usd } from "../Values.ts"

const sums = {
  requests: Schema.Int.annotate({ description: "Requests, those that a limit refused included." }),
  cost_usd: Usd.annotate({ description: "USD." }),
  unpriced: Schema.Int.annotate({ description: "Answers whose price nobody knows: they are no part of `cost_usd`." })
}

const DearKey = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String).annotate({ description: "What people call it; null: it has no name." }),
  ...sums
}).annotate({ identifier: "DearKey", title: "What a key spent" })

const DearTeam = Schema.Struct({
  team: Schema.NullOr(Schema.String).annotate({ description: "null: keys without one." }),
  ...sums
}).annotate({ identifier: "DearTeam", title: "What a team spent" })

const Troubled = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["in_rotation", "out_of_rotation"]),
  circuit: Health.fields.circuit,
  since: Health.fields.since,
  error_rate: Health.fields.error_rate,
  failure_rate_15m: CallFailureRate,
  last_error: Health.fields.last_error
}).annotate({
  identifier: "TroubledDeployment",
  title: "Unhealthy deployment",
  description:
    "It is out of rotation, its circuit is not closed, or at least 1 % of its calls of the last 15 minutes failed."
})

export const Overview = Schema.Struct({
  object: Schema.Literal("overview"),
  from: Timestamp.annotate({ description: "Inclusive: what was asked for, down to a whole hour or day." }),
  to: Timestamp.annotate({ description: "Exclusive: what was asked for, up to a whole hour or day." }),
  keys: Schema.Array(DearKey).annotate({ description: "The dearest first." }),
  teams: Schema.Array(DearTeam).annotate({ description: "The dearest first." }),
  budgets: Schema.Array(BudgetUse).annotate({ description: "The fullest first, now." }),
  deployments: Schema.Array(Troubled).annotate({ description: "In the order of the configuration, now." }),
  failures: Schema.Array(Receipt).annotate({
    description: "Requests that failed, were cut or abandoned, the last first, of the last thousands."
  })
}).annotate({ identifier: "Overview", title: "Overview" })
export type Overview = typeof Overview.Type

export const MOST_LISTED = 100

export const OverviewQuery = {
  from: Schema.optionalKey(TimeOrDay.annotate({ description: "RFC 3339 or YYYY-MM-DD. Default: a day before `to`." })),
  to: Schema.optionalKey(TimeOrDay.annotate({ description: "RFC 3339 or YYYY-MM-DD. Default: now." })),
  tz: Schema.optionalKey(TimeZone.annotate({ description: "IANA name of the time zone of days. Default: UTC." })),
  limit: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: MOST_LISTED }, { expected: `a whole number from 1 to ${MOST_LISTED}` })
    )
  )
}
