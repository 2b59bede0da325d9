/** Why no deployment is found for a request. */
import {
  ModelNotFound,
  type ModelNotAllowed,
  type NoCapableDeployment,
  type OutOfRotation,
  type PriceUnknown
} from "../domain/Errors.ts"

export type RoutingError = ModelNotFound | ModelNotAllowed | NoCapableDeployment | OutOfRotation | PriceUnknown
