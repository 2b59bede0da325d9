/** The credential of a request, in any of the headers that vendors' clients use. */
import type { RequestHeaders } from "../routing/Endpoint.ts"

const BEARER = /^bearer\s+(\S+)\s*$/i
/** `Authorization` without a credential: some clients send it when they have no key for it. */
const EMPTY = /^\s*(?:bearer\s*)?$/i

/** Undefined when there is none. `Authorization` wins, unless it is empty. */
export const credentialOf = (headers: RequestHeaders): string | undefined => {
  const { authorization } = headers
  if (authorization !== undefined) {
    const bearer = BEARER.exec(authorization)
    if (bearer !== null) return bearer[1]
    if (!EMPTY.test(authorization)) return authorization
  }
  for (const name of ["x-api-key", "api-key", "x-goog-api-key"]) {
    const value = headers[name]
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}
