/** What makes two requests equal: the id of an entry covers everything that its response depends on, and who may have it. */
import { createHmac } from "node:crypto"
import type { Deployment } from "../domain/Deployment.ts"
import type { CallRequest } from "../operations/CallRequest.ts"

export interface CachedCall {
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

/** They change no response. `model` is in the id by its deployment. */
const UNRELATED = new Set(["model", "user", "safety_identifier", "metadata", "prompt_cache_key", "store"])
/** Responses repeat the other fields. */
const UNRELATED_OF_RESPONSES = new Set(["model"])

const { isRawJSON } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean }

/** JSON with sorted names; undefined: it is too long. */
const canonical = (value: unknown, left: { characters: number }, without?: ReadonlySet<string>): string | undefined => {
  if (typeof value !== "object" || value === null || isRawJSON(value)) {
    const text = JSON.stringify(value)
    left.characters -= text.length
    return left.characters < 0 ? undefined : text
  }
  const parts: Array<string> = []
  if (Array.isArray(value)) {
    for (const one of value) {
      const text = canonical(one ?? null, left)
      if (text === undefined) return undefined
      parts.push(text)
    }
    return `[${parts.join()}]`
  }
  for (const name of Object.keys(value).sort()) {
    const member = (value as { readonly [name: string]: unknown })[name]
    if (member === undefined || without?.has(name) === true) continue
    const text = canonical(member, left)
    if (text === undefined) return undefined
    left.characters -= name.length
    parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${parts.join()}}`
}

/** Undefined: the request is too large. `secret`: without it nobody can guess prompts from ids. */
export const cacheId = (call: CachedCall, secret: Uint8Array): string | undefined => {
  const { deployment, forward, operation, owner, policy, request, strict, versions } = call
  const { baseUrl, model, provider, query } = deployment
  const without = operation === "responses" ? UNRELATED_OF_RESPONSES : UNRELATED
  const body = canonical(request.body, { characters: LARGEST_REQUEST }, without)
  if (body === undefined) return undefined
  const parts = [owner, operation, provider, model, baseUrl, query, request.stream, strict, policy, versions]
  const headers = Object.entries(forward ?? {}).sort()
  return createHmac("sha256", secret)
    .update(JSON.stringify([parts, headers]))
    .update(body)
    .digest("hex")
}

/** Why a request is neither looked up nor stored; undefined: it may be. */
export const bypassOf = (
  { body, choices, files, long, media }: CallRequest,
  runsTools: boolean
): string | undefined => {
  const { background, modalities } = body
  if (runsTools) return "tools"
  if (media.some(({ source }) => source?.startsWith("data:") !== true && !isInline(source))) return "remote"
  if (Array.isArray(modalities) && modalities.includes("audio")) return "audio"
  if (choices > MOST_CHOICES) return "n"
  if (background === true) return "background"
  return long !== undefined || files !== undefined ? "size" : undefined
}

const MOST_CHOICES = 4

/** Base64, rather than an address or an id. */
const isInline = (source: string | undefined): boolean => source !== undefined && !/^[a-z][a-z\d+.-]*:/i.test(source)
