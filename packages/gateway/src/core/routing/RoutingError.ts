/** Why no deployment is found for a request. */
import {
  type InvalidField,
  ModelNotFound,
  type ModelNotAllowed,
  type NoAllowedProvider,
  type NoCapableDeployment,
  type NoRouteMeetsPolicy,
  type OutOfRotation,
  type PriceUnknown
} from "../domain/Errors.ts"

export type RoutingError =
  | InvalidField
  | ModelNotFound
  | ModelNotAllowed
  | NoAllowedProvider
  | NoCapableDeployment
  | NoRouteMeetsPolicy
  | OutOfRotation
  | PriceUnknown
