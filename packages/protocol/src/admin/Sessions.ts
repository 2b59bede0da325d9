/** Sessions of administrators in browsers, and the headers that carry them. */
import { Schema } from "effect"
import { page, rule, Timestamp } from "../Values.ts"

/** The half of a session that a page keeps and sends; the other is a cookie. */
export const SESSION_HEADER = "x-gateway-session"

export const SESSION_COOKIE = "mgw_session"

export const SignIn = Schema.Struct({
  master_key: Schema.optionalKey(
    Schema.RedactedFromValue(Schema.String).annotate({ description: "The master key of the configuration." })
  ),
  code: Schema.optionalKey(
    Schema.RedactedFromValue(Schema.String).annotate({
      description:
        "The end of a link that a gateway printed when it started, or of the address to which a sign-in redirected. It works once."
    })
  )
})
  .check(
    rule(
      ({ code, master_key }: { readonly code?: unknown; readonly master_key?: unknown }) =>
        (code === undefined) !== (master_key === undefined) || {
          path: ["master_key"],
          issue: "Give `master_key`, or the `code` of a link, and not both."
        },
      "either `master_key` or `code`"
    )
  )
  .annotate({
    identifier: "SignIn",
    title: "What opens a session",
    message: 'Expected an object such as {"master_key": "…"}'
  })

const session = {
  object: Schema.Literal("session"),
  id: Schema.String.annotate({
    description: "Names it to people; it opens nothing.",
    examples: ["sess_5kX2pQ9vLmN4cR8t"]
  }),
  role: Schema.Literals(["admin", "user"]).annotate({
    description: "`admin`: opened with the master key. `user`: of a person, whose roles decide."
  }),
  user: Schema.NullOr(Schema.String).annotate({ description: "The person, `user_…`; null: the master key opened it." }),
  created_at: Timestamp,
  last_used_at: Timestamp.annotate({ description: "To the minute. An hour without use ends it." }),
  expires_at: Timestamp.annotate({ description: "When it ends, however much it is used." }),
  address: Schema.NullOr(Schema.String).annotate({ description: "Where it was opened from; null: no address." })
}

export const Session = Schema.Struct(session).annotate({ identifier: "Session", title: "Session" })
export type Session = typeof Session.Type

export const OpenedSession = Schema.Struct({
  ...session,
  token: Schema.String.annotate({
    description: "The half that the page keeps and sends as `X-Gateway-Session`. It is told this once."
  })
}).annotate({
  identifier: "OpenedSession",
  title: "Session with its token",
  description: "The other half comes as the cookie `mgw_session`. Neither opens anything alone."
})
export type OpenedSession = typeof OpenedSession.Type

export const SessionList = page(
  Session,
  "Those that are not over, newest first: all of them for administrators, else one's own."
).annotate({
  identifier: "SessionList",
  title: "Sessions"
})

export const SignInProviderList = page(
  Schema.Struct({
    object: Schema.Literal("sign_in_provider"),
    name: Schema.String,
    label: Schema.String.annotate({ description: "What the button says." })
  }),
  "In the order of the configuration."
).annotate({ identifier: "SignInProviderList", title: "Identity providers" })

export const SessionsEnded = Schema.Struct({
  object: Schema.Literal("sessions_ended"),
  ended: Schema.Int.annotate({ description: "How many ended." })
}).annotate({ identifier: "SessionsEnded", title: "Sessions that ended" })
