/**
 * Signature Version 4 as a server checks it, written from its description and apart from the library that signs:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html (2026-11-22).
 */
import { createHash, createHmac } from "node:crypto"

export interface SignedRequest {
  readonly method: string
  /** As sent, with its query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string | Uint8Array
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac("sha256", key).update(data).digest()

/** What is sent encoded is signed encoded once more. */
const encoded = (path: string): string =>
  path
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    )
    .join("/")

export interface Checked {
  readonly accessKeyId: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: ReadonlyArray<string>
  readonly isValid: boolean
}

/** Undefined where it is not signed. `secret`: of the key that it is signed with. */
export const check = ({ body, headers, method, path }: SignedRequest, secret: string): Checked | undefined => {
  const told =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers["authorization"] ?? ""
    )
  if (told === null) return undefined
  const [, accessKeyId = "", date = "", region = "", service = "", names = "", signature] = told
  const signedHeaders = names.split(";")
  const [address = "", query = ""] = path.split("?")
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}\n`).join("")
  const canonical = [method, encoded(address), query.split("&").toSorted().join("&"), lines, names, sha256(body)].join(
    "\n"
  )
  const scope = `${date}/${region}/${service}/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n")
  const key = [region, service, "aws4_request"].reduce<Uint8Array>(hmac, hmac(`AWS4${secret}`, date))
  const isValid = hmac(key, toSign).toString("hex") === signature
  return { accessKeyId, region, service, signedHeaders, isValid }
}
