/** Sign-ins of programs on other machines, which a person approves in a browser (RFC 8628), and what they get. */
import { Schema } from "effect"
import { page, Timestamp } from "../Values.ts"

export const DeviceAuthorization = Schema.Struct({
  device_code: Schema.String.annotate({ description: "For `/oauth/token`. Only the program knows it." }),
  user_code: Schema.String.annotate({
    description: "What the person types at `verification_uri`.",
    examples: ["BCDF-GHJK"]
  }),
  verification_uri: Schema.String,
  expires_in: Schema.Int.annotate({ description: "Seconds." }),
  interval: Schema.Int.annotate({ description: "Seconds to wait between two calls of `/oauth/token`." })
}).annotate({ identifier: "DeviceAuthorization", title: "Codes of a sign-in that waits for approval" })
export type DeviceAuthorization = typeof DeviceAuthorization.Type

export const DeviceGrantForm = Schema.Struct({ client_id: Schema.optionalKey(Schema.String) })

export const TokenForm = Schema.Struct({
  grant_type: Schema.Literals(["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"]),
  device_code: Schema.optionalKey(Schema.String),
  refresh_token: Schema.optionalKey(Schema.String)
})

export const RevokeForm = Schema.Struct({ token: Schema.String })

export const OAuthTokens = Schema.Struct({
  access_token: Schema.String.annotate({ description: "`mgws_…`: opens `/admin` with the roles of the person." }),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotate({ description: "Seconds." }),
  refresh_token: Schema.String.annotate({ description: "`mgwr_…`: for the next pair, once." }),
  email: Schema.NullOr(Schema.String).annotate({ description: "As whom the machine is signed in." })
}).annotate({ identifier: "OAuthTokens", title: "Tokens of a signed-in machine" })
export type OAuthTokens = typeof OAuthTokens.Type

export const OAuthServer = Schema.Struct({
  issuer: Schema.String,
  device_authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: Schema.String,
  grant_types_supported: Schema.Array(Schema.String),
  token_endpoint_auth_methods_supported: Schema.Array(Schema.String)
}).annotate({ identifier: "OAuthServer", title: "Where programs sign in", description: "RFC 8414." })

export const DeviceRequest = Schema.Struct({
  object: Schema.Literal("device_request"),
  client: Schema.String.annotate({ description: "What the program says that it is." }),
  address: Schema.NullOr(Schema.String).annotate({ description: "Where it began; null: no address." }),
  state: Schema.Literals(["pending", "approved", "denied"]),
  created_at: Timestamp
}).annotate({ identifier: "DeviceRequest", title: "Sign-in of a program" })
export type DeviceRequest = typeof DeviceRequest.Type

export const SignInOfMachine = Schema.Struct({
  object: Schema.Literal("sign_in"),
  id: Schema.String.annotate({ examples: ["sign_4f9K2mQ7aZx1"] }),
  client: Schema.String,
  address: Schema.NullOr(Schema.String).annotate({ description: "Where it began; null: no address." }),
  created_at: Timestamp,
  last_used_at: Timestamp
}).annotate({ identifier: "SignInOfMachine", title: "Machine on which a person is signed in" })
export type SignInOfMachine = typeof SignInOfMachine.Type

export const SignInOfMachineList = page(SignInOfMachine, "Newest first.").annotate({
  identifier: "SignInOfMachineList",
  title: "Machines on which a person is signed in"
})
