/** The name under which an error is counted, from a closed set: never a provider's word. */
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
