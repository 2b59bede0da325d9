/**
 * The name under which an error is counted, from a closed set. The error's code on the wire may be a provider's word; this name never is.
 */
import { type EndpointError, wireError } from "./WireError.ts"

export const errorName = (error: EndpointError): string => {
  switch (error._tag) {
    case "Exhausted":
    case "ProviderFailure":
      return error.class
    case "RateLimited":
      return `limit_${error.kind}`
    default:
      return wireError(error, 0).body.error.code ?? error._tag
  }
}
