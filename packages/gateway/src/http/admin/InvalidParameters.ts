/** Path and query parameters that can't be read. */
import { InvalidParameters } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { failed } from "../shared/Answer.ts"
import { invalidField } from "../errors/SchemaProblems.ts"

/** A response that breaks the API's description is a bug of the gateway, and dies. */
export const invalidParametersLayer = HttpApiMiddleware.layerSchemaErrorTransform(InvalidParameters, (error) =>
  error.kind === "Body" || error.kind === "ResponseHeaders" ? Effect.die(error) : failed(invalidField(error.cause))
)
