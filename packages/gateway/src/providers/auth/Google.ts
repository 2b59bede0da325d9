/** Google: an API key, or access tokens of a service account, a workload identity, a user or the machine, by Google's own library. */
import { Clock, Effect, Predicate, Redacted } from "effect"
import { type Auth, AuthFailed } from "../../core/pool/Auth.ts"
import { heldToken, type Token } from "./AuthTokens.ts"

const SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]

/** Lifetime of a token that does not tell it. */
const ASSUMED_MS = 10 * 60_000
const FETCH_MS = 30_000

type Credentials = Redacted.Redacted<string> | undefined

const fetched = (credentials: Credentials): Effect.Effect<Token, AuthFailed> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({ try: () => askFor(credentials, now), catch: (error) => new AuthFailed(explained(error)) })
  ).pipe(
    Effect.timeoutOrElse({
      duration: FETCH_MS,
      orElse: () => Effect.fail(new AuthFailed({ message: `no access token came within ${FETCH_MS / 1_000} s` }))
    })
  )

const askFor = async (credentials: Credentials, now: number): Promise<Token> => {
  const { GoogleAuth } = await import("google-auth-library")
  const given = credentials === undefined ? undefined : Redacted.value(credentials).trim()
  // A new one each time reads a file again that was replaced.
  const auth = new GoogleAuth({
    scopes: SCOPES,
    ...(given === undefined ? {} : given.startsWith("{") ? { credentials: JSON.parse(given) } : { keyFilename: given })
  })
  const client = await auth.getClient()
  const { token } = await client.getAccessToken()
  if (typeof token !== "string" || token === "") throw new Error(NO_TOKEN)
  return { value: Redacted.make(token), endsAt: client.credentials.expiry_date ?? now + ASSUMED_MS }
}

const NO_TOKEN = "the token endpoint gave no token"

/** For the operator. Of the library's words only those that can hold nothing of the credentials: it quotes what it can't read. */
const explained = (error: unknown): { readonly message: string } => {
  const text = error instanceof Error ? error.message : ""
  const told = answerOf(error)
  if (told !== undefined) return { message: `Google returned no access token: ${told}` }
  if (text === NO_TOKEN) return { message: text }
  if (/could not load the default credentials/i.test(text)) return { message: NO_CREDENTIALS }
  if (/DECODER|PEM|private.?key/i.test(text))
    return { message: "the private key in Google's credentials can't be read" }
  const code = Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined
  const what = code !== undefined && /^[A-Z_]{2,40}$/.test(code) ? ` (${code})` : ""
  return { message: `Google's credentials could not be used${what}: check the file or text in \`credentials\`` }
}

const NO_CREDENTIALS =
  "there are no Google credentials: name them in the provider's `credentials` or in GOOGLE_APPLICATION_CREDENTIALS, or run where a metadata server gives some"

/** `{"error": "invalid_grant"}`: a word of the token endpoint's. */
const answerOf = (error: unknown): string | undefined => {
  const response = Predicate.hasProperty(error, "response") ? error.response : undefined
  if (!Predicate.hasProperty(response, "status")) return undefined
  const data = Predicate.hasProperty(response, "data") ? response.data : undefined
  const word = Predicate.hasProperty(data, "error") ? data.error : undefined
  const isWord = typeof word === "string" && /^[\w.-]{1,60}$/.test(word)
  return `${String(response.status).slice(0, 3)}${isWord ? ` ${word}` : ""}`
}

/** `fetch`: another way to tokens, for tests. */
export const googleAuthBy = (fetch: (credentials: Credentials) => Effect.Effect<Token, AuthFailed>): Auth => ({
  kind: "perProvider",
  make: ({ hasKeys, options }) => {
    const credentials = options.secret["credentials"]
    const token = heldToken(fetch(credentials))
    const bearing = Effect.map(token, (value) => ({ authorization: `Bearer ${Redacted.value(value)}` }))
    return {
      kind: "perRequest",
      headers: (_, key) =>
        !hasKeys || key === undefined ? bearing : Effect.succeed({ "x-goog-api-key": Redacted.value(key) })
    }
  }
})

export const googleAuth: Auth = googleAuthBy(fetched)
