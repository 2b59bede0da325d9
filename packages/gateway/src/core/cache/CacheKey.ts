/** What makes two requests equal: the id of an entry covers all that its response depends on, and who may have it. */
import { hash } from "node:crypto"
import { canonicalJson } from "@model-gateway/protocol"
import type { Deployment } from "../domain/Deployment.ts"
import type { CallRequest } from "../operations/CallRequest.ts"

export interface CachedRequest {
  /** The id of a key, or `team:<name>`: whose entries it may have. */
  readonly owner: string
  readonly operation: string
  readonly deployment: Deployment
  /** As the deployment would be sent it. */
  readonly request: CallRequest
  readonly forward: { readonly [name: string]: string } | undefined
  readonly strict: boolean
  /** Names the guardrails that hold for it. */
  readonly policy: string
  /** Of gateway and catalogue. */
  readonly versions: string
}

/** Characters. Larger requests are not cached: reading them would hold up others. */
const LARGEST_REQUEST = 1024 * 1024

/** They change no response. The deployment stands for `model`. */
const UNRELATED = new Set(["model", "user", "safety_identifier", "metadata", "prompt_cache_key", "store"])
/** Responses repeat the other fields. */
const UNRELATED_OF_RESPONSES = new Set(["model"])

/** Undefined: the request is too large. `secret`, which always has the same length, keeps prompts from being guessed from ids. */
export const cacheId = ({ deployment, forward = {}, operation, request, ...rest }: CachedRequest, secret: string) => {
  const { baseUrl, model, provider, query = "" } = deployment
  const without = operation === "responses" ? UNRELATED_OF_RESPONSES : UNRELATED
  const body = canonicalJson(request.body, LARGEST_REQUEST, without)
  if (body === undefined) return undefined
  const place = [rest.owner, operation, provider, model, baseUrl, query, request.stream]
  const rules = [rest.strict, rest.policy, rest.versions, Object.entries(forward).sort()]
  // SHA-512/256 does not allow length extension, so a secret in front makes it a keyed hash, which costs less than an HMAC.
  return hash("sha512-256", `${secret}${JSON.stringify([place, rules])}${body}`)
}

const MOST_CHOICES = 4

/** Why a request is neither looked up nor stored; undefined: it may be. */
export const bypassOf = (
  { body, choices, files, long, media }: CallRequest,
  runsTools: boolean
): string | undefined => {
  const { background, modalities } = body
  if (runsTools) return "tools"
  // Base64 and data URLs are the content itself.
  if (media.some(({ source = "id:" }) => /^(?!data:)[a-z][a-z\d+.-]*:/i.test(source))) return "remote"
  if (Array.isArray(modalities) && modalities.includes("audio")) return "audio"
  if (choices > MOST_CHOICES) return "n"
  if (background === true) return "background"
  return long !== undefined || files !== undefined ? "size" : undefined
}
