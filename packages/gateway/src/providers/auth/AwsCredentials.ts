/**
 * Where AWS credentials come from when the configuration does not hold them: the AWS SDK's own chain of environment, profile, SSO,
 * process, web identity, container and instance. It is loaded with the first request that needs it.
 */
import { Clock, Effect, Redacted } from "effect"
import { AuthFailed } from "../../core/pool/Auth.ts"
import type { AwsCredentials } from "./AwsSignature.ts"
import type { Token } from "./AuthTokens.ts"

/** What a source of credentials gives. `expiration` left out: it does not say when they end. */
export interface GivenCredentials extends AwsCredentials {
  readonly expiration?: Date
}

/** Asks for new credentials, each time it is called. */
export type CredentialSource = () => Promise<GivenCredentials>

/** Credentials that don't end are looked up again after this time: the file that they come from may have been rewritten. */
const LOOK_AGAIN_MS = 15 * 60_000

interface AwsProfile {
  readonly profile: string | undefined
  readonly region: string
}

/** The chain of the machine, or of one profile. */
export const chain =
  ({ profile, region }: AwsProfile): CredentialSource =>
  async () => {
    const { defaultProvider } = await import("@aws-sdk/credential-provider-node")
    // A new one each time: it remembers what it found, and what it read.
    const provider = defaultProvider({
      clientConfig: { region },
      ignoreCache: true,
      ...(profile === undefined ? {} : { profile })
    })
    return provider()
  }

/** Fails with words of the gateway's own: those of the chain may hold the output of a command. */
export const fetched = Effect.fnUntraced(function* (
  source: CredentialSource,
  profile: string | undefined
): Effect.fn.Return<Token<AwsCredentials>, AuthFailed> {
  const given = yield* Effect.tryPromise({
    try: () => source(),
    catch: (error) => new AuthFailed({ message: whyNone(error, profile) })
  })
  const { expiration, ...credentials } = given
  const now = yield* Clock.currentTimeMillis
  return {
    value: Redacted.make(credentials, { label: "AWS credentials" }),
    endsAt: expiration === undefined ? now + LOOK_AGAIN_MS : expiration.getTime()
  }
})

const whyNone = (error: unknown, profile: string | undefined): string => {
  const told = error instanceof Error ? `${error.name} ${error.message}` : ""
  const where = profile === undefined ? "" : ` of profile ${JSON.stringify(profile)}`
  if (/sso session|sso.*(?:expired|invalid|refresh)|aws sso login/i.test(told)) {
    const login = profile === undefined ? "aws sso login" : `aws sso login --profile ${profile}`
    return `the SSO session for the AWS credentials${where} has ended: run ${login}`
  }
  if (profile !== undefined && /could not resolve credentials|profile.*(?:not found|could not be found)/i.test(told)) {
    return `there is no profile ${JSON.stringify(profile)} with credentials in the AWS configuration files`
  }
  if (/could not load credentials from any providers/i.test(told)) {
    return (
      "no AWS credentials were found: neither in the environment, nor in a profile, nor from the container or the instance. " +
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile, or write api_key with a Bedrock API key"
    )
  }
  return `the AWS credentials${where} could not be fetched (${error instanceof Error ? error.name : "unknown error"})`
}
