/** Signature Version 4 of a request to AWS. The library is loaded with the first request that needs it. */
import { createHash, createHmac } from "node:crypto"
import { Effect, Redacted } from "effect"
import { AuthFailed, type AuthHeaders } from "../../core/pool/Auth.ts"
import type { UpstreamRequest } from "../../core/pool/Transport.ts"
import { bytesOf } from "../transport/UpstreamBody.ts"

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Signing {
  readonly service: string
  readonly region: string
  readonly credentials: Redacted.Redacted<AwsCredentials>
  /** Epoch ms. */
  readonly now: number
}

/** The headers that the signature adds. The path is signed as it is sent: a model's name is in it, with its colons encoded. */
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
  private hash: ReturnType<typeof createHash | typeof createHmac>
  private readonly secret: Uint8Array | undefined

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.secret = secret === undefined ? undefined : bytesIn(secret)
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

  private fresh(): ReturnType<typeof createHash | typeof createHmac> {
    return this.secret === undefined ? createHash("sha256") : createHmac("sha256", this.secret)
  }
}

const bytesIn = (data: string | ArrayBuffer | ArrayBufferView): Uint8Array => {
  if (typeof data === "string") return Buffer.from(data)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
