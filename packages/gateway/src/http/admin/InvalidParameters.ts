/** Path and query parameters that can't be read. */
import { InvalidParameters } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { failed } from "../Answer.ts"
import { invalidField } from "../SchemaProblems.ts"

/** An answer that is not what the description promises is a fault of ours, and dies. */
export const invalidParametersLayer = HttpApiMiddleware.layerSchemaErrorTransform(InvalidParameters, (error) =>
  error.kind === "Body" || error.kind === "ResponseHeaders" ? Effect.die(error) : failed(invalidField(error.cause))
)
