/**
 * How AWS is told who calls: by an API key as a bearer token, or by a signature (Signature Version 4) with credentials that the
 * configuration holds or the machine has. Credentials are renewed before they run out, once for all who wait.
 */
import { Clock, Effect, Redacted } from "effect"
import { type Auth, AuthFailed, type AuthContext, type ReadyAuth } from "../../core/pool/Auth.ts"
import type { ProviderOptions, VendorSetting } from "../../core/domain/ProviderOptions.ts"
import { chain, type CredentialSource, fetched } from "./AwsCredentials.ts"
import { type AwsCredentials, signature } from "./AwsSignature.ts"
import { bearer } from "./Static.ts"
import { heldToken } from "./AuthTokens.ts"

/** Names as the AWS SDKs have them. */
export const awsSettings: ReadonlyArray<VendorSetting> = [
  { name: "region", what: "an AWS region", variable: "AWS_REGION" },
  { name: "profile", what: "a profile of the AWS configuration files", variable: "AWS_PROFILE" },
  {
    name: "access_key_id",
    what: "the id of an AWS access key",
    variable: "AWS_ACCESS_KEY_ID",
    isSecret: true,
    needs: ["secret_access_key"]
  },
  {
    name: "secret_access_key",
    what: "the secret of an AWS access key",
    variable: "AWS_SECRET_ACCESS_KEY",
    isSecret: true,
    needs: ["access_key_id"]
  },
  {
    name: "session_token",
    what: "the session token of temporary AWS credentials",
    variable: "AWS_SESSION_TOKEN",
    isSecret: true,
    needs: ["access_key_id"]
  }
]

/** `source`: where credentials come from that the configuration does not hold; tests put their own in. */
export const aws = (service: string, source: typeof chain = chain): Auth => ({
  kind: "perProvider",
  make: (context) => (context.hasKeys ? bearer : signed(service, context, source))
})

const signed = (service: string, { options }: AuthContext, source: typeof chain): ReadyAuth => {
  const configured = configuredIn(options)
  const sources = new Map<string, ReturnType<typeof held>>()
  const credentialsFor = (region: string) => {
    if (configured !== undefined) return Effect.succeed(configured)
    const { profile } = options.shown
    const known = sources.get(region) ?? held(source({ profile, region }), profile)
    sources.set(region, known)
    return known
  }
  return {
    kind: "perRequest",
    headers: Effect.fnUntraced(function* (request) {
      const region = options.shown["region"] ?? regionIn(request.baseUrl)
      if (region === undefined) return yield* new AuthFailed({ message: NO_REGION })
      const credentials = yield* credentialsFor(region)
      return yield* signature(request, { service, region, credentials, now: yield* Clock.currentTimeMillis })
    })
  }
}

const held = (source: CredentialSource, profile: string | undefined) => heldToken(fetched(source, profile))

const NO_REGION = "the address does not contain the AWS region for signing: set it as the provider's region"

const configuredIn = ({ secret }: ProviderOptions): Redacted.Redacted<AwsCredentials> | undefined => {
  const { access_key_id: id, secret_access_key: key, session_token: session } = secret
  if (id === undefined || key === undefined) return undefined
  const credentials = {
    accessKeyId: Redacted.value(id),
    secretAccessKey: Redacted.value(key),
    ...(session === undefined ? {} : { sessionToken: Redacted.value(session) })
  }
  return Redacted.make(credentials, { label: "AWS credentials" })
}

/** `bedrock-runtime.us-east-1.amazonaws.com`, `vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com`, `bedrock-mantle.us-east-1.api.aws`. */
const regionIn = (baseUrl: string): string | undefined =>
  /\.([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:vpce\.)?(?:amazonaws\.com|api\.aws)/.exec(new URL(baseUrl).hostname)?.[1]
