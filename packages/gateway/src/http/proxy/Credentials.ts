/** The credential of a request, in any of the headers that vendors' clients use. */
import type { RequestHeaders } from "./Endpoint.ts"

/** `Authorization` without a credential: some clients send it when they have no key for it. */
const EMPTY = /^\s*(?:bearer\s*)?$/i

/** Undefined when there is none. `Authorization` wins, unless it is empty. */
export const credentialOf = (headers: RequestHeaders): string | undefined => {
  const { authorization } = headers
  if (authorization !== undefined && !EMPTY.test(authorization)) {
    const bearer = /^bearer\s+(\S+)\s*$/i.exec(authorization)
    return bearer === null ? authorization : bearer[1]
  }
  for (const name of ["x-api-key", "api-key", "x-goog-api-key"]) {
    const value = headers[name]
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}
