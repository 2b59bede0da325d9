/** `/admin/session` and `/admin/sessions`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OpenedSession, Session, SessionList, SessionsEnded, SignIn, SignInProviderList } from "../Sessions.ts"
import { administrative } from "./Administrative.ts"

const provider = {
  provider: Schema.String.annotate({ description: "The identity provider, as the configuration names it." })
}

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))

/** Sessions of administrators for administrators, one's own for everybody else. Service tokens have none. */
const ownSession = {
  effect: "write",
  admin: "all",
  viewer: "own",
  team_admin: "own",
  member: "own",
  people_only: true
} as const

/** Opening a session takes the master key in the body, so it is the one endpoint here that needs no credential before. */
export const signIn = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("openSession", "/admin/session", {
      payload: SignIn,
      success: OpenedSession.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [413, 415],
        summary: "Sign in from a browser",
        description:
          "A session in two halves: the cookie `mgw_session`, which no script can read, and `token`, which the page sends as `X-Gateway-Session`. It opens `/admin` and nothing else, for 8 hours, or 1 hour without use."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Signing in", description: "How a browser gets a session." }))

export const providerSignIn = HttpApiGroup.make("providerSignIn")
  .add(
    HttpApiEndpoint.get("listSignInProviders", "/admin/sign-in", { success: SignInProviderList }).annotateMerge(
      administrative({
        access: "public",
        summary: "List the identity providers",
        description: "Those of the configuration, for the buttons of the sign-in page."
      })
    ),
    HttpApiEndpoint.get("beginSignIn", "/admin/sign-in/:provider", {
      params: provider,
      query: {
        next: Schema.optionalKey(Schema.String.annotate({ description: "The dashboard's page to open then." }))
      },
      success: page
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404],
        summary: "Go to an identity provider",
        description: "For a browser: redirects to the provider (302), with what must come back in a sealed cookie."
      })
    ),
    HttpApiEndpoint.get("finishSignIn", "/admin/sign-in/:provider/callback", {
      params: provider,
      success: page
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404],
        summary: "Come back from an identity provider",
        description:
          "The redirect URI to register at the provider. It redirects to the dashboard (302) with a code for `POST /admin/session`, which works once, within a minute, in this browser. 403: why there is no sign-in, as text."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sign-in", description: "By an identity provider." }))

export const sessions = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("getSession", "/admin/session", { success: Session }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "session.read", effect: "read" },
        failures: [404],
        summary: "Who am I",
        description:
          "The session that the request came with; 404 for the master key itself. The token is not told again."
      })
    ),
    HttpApiEndpoint.delete("closeSession", "/admin/session", { success: SessionsEnded }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "session.close" },
        failures: [404],
        summary: "Sign out",
        description: "Both halves open nothing from then on, in every tab. The cookie is taken back."
      })
    ),
    HttpApiEndpoint.get("listSessions", "/admin/sessions", { success: SessionList }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.list", effect: "read" },
        summary: "List sessions",
        description: "Nothing of their halves."
      })
    ),
    HttpApiEndpoint.delete("closeSessions", "/admin/sessions", { success: SessionsEnded }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.close_all" },
        summary: "Sign out everywhere",
        description: "Every session ends, that of the request too. The master key goes on working."
      })
    ),
    HttpApiEndpoint.delete("revokeSession", "/admin/sessions/:id", {
      params: { id: Schema.String.annotate({ description: "The id of the session, `sess_…`." }) },
      success: SessionsEnded
    }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.revoke" },
        failures: [404],
        summary: "End one session",
        description: "In force when the answer comes."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Administrators in browsers." }))
