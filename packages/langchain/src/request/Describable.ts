/** Whether a schema can be told to a model: some libraries' can only check what came. */
import { isStandardJsonSchema, isStandardSchema } from "@langchain/core/utils/standard_schema"
import { isInteropZodSchema } from "@langchain/core/utils/types"
import { GatewayInputError } from "../Errors.ts"

/** Throws a `GatewayInputError` for a schema that has no JSON schema. Sent as it is, it would mean anything. */
export const assertDescribable = (schema: unknown, whose: string): void => {
  if (isInteropZodSchema(schema) || isStandardJsonSchema(schema) || !isStandardSchema(schema)) return
  const { vendor } = schema["~standard"]
  throw new GatewayInputError(
    `The schema of ${whose}, made with ${vendor}, can only validate: it does not say its JSON schema. Use what ${vendor} has to make it a Standard JSON Schema (\`toStandardJsonSchema\` of @valibot/to-json-schema, for one), a zod schema or a JSON schema.`
  )
}
