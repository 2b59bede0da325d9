/** AWS: an API key as a bearer token, or a signature (Signature Version 4) with credentials of the configuration or the machine. */
import { createHash, createHmac } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import type { ProviderOptions, VendorSetting } from "../../core/domain/ProviderOptions.ts"
import { type Auth, type AuthContext, AuthFailed, type AuthHeaders, type ReadyAuth } from "../../core/pool/Auth.ts"
import type { UpstreamRequest } from "../../core/pool/Transport.ts"
import { bytesOf } from "../transport/UpstreamBody.ts"
import { heldToken, type Token } from "./AuthTokens.ts"
import { bearer } from "./Static.ts"

interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

interface Signing {
  readonly service: string
  readonly region: string
  readonly credentials: Redacted.Redacted<AwsCredentials>
  readonly now: number
}

/** The headers that the signature adds. The path is signed as it is sent, with the colons of a model's name encoded. */
export const signature = Effect.fnUntraced(function* (
  request: Pick<UpstreamRequest, "baseUrl" | "path" | "headers" | "body">,
  { credentials, now, region, service }: Signing
): Effect.fn.Return<AuthHeaders, AuthFailed> {
  const body = yield* bytesOf(request.body)
  const url = new URL(request.baseUrl + request.path)
  const headers = yield* Effect.tryPromise({
    try: async () => {
      const { SignatureV4 } = await import("@smithy/signature-v4")
      const signer = new SignatureV4({ service, region, credentials: Redacted.value(credentials), sha256: Sha256 })
      const signed = await signer.sign(
        {
          method: "POST",
          protocol: url.protocol,
          hostname: url.hostname,
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          headers: { ...request.headers, host: url.host },
          body
        },
        { signingDate: new Date(now) }
      )
      return signed.headers
    },
    catch: () => new AuthFailed({ message: "the request to AWS could not be signed with these credentials" })
  })
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "host" && !(name in request.headers)))
})

/** As the library wants it. */
class Sha256 {
  private readonly fresh: () => ReturnType<typeof createHash | typeof createHmac>
  private hash: ReturnType<typeof createHash | typeof createHmac>

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.fresh = () => (secret === undefined ? createHash("sha256") : createHmac("sha256", bytesIn(secret)))
    this.hash = this.fresh()
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesIn(data))
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest())
  }

  reset(): void {
    this.hash = this.fresh()
  }
}

const bytesIn = (data: string | ArrayBuffer | ArrayBufferView): Uint8Array => {
  if (typeof data === "string") return Buffer.from(data)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

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

// The AWS SDK's own chain of environment, profile, SSO, process, web identity, container and instance.

export interface GivenCredentials extends AwsCredentials {
  readonly expiration?: Date
}

/** Asks for new credentials, each time it is called. */
type CredentialSource = () => Promise<GivenCredentials>

/** Credentials that don't end are looked up again after this time: the file that they come from may have been rewritten. */
const LOOK_AGAIN_MS = 15 * 60_000

export const chain =
  ({ profile, region }: { readonly profile: string | undefined; readonly region: string }): CredentialSource =>
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
const fetched = Effect.fnUntraced(function* (
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
