/** Answers by a schema: asked for as one, read as one. */
import type { Answered } from "../Decision.ts"
import { ConfigurationError, InvalidAnswerError } from "../Errors.ts"
import type { ChatCompletion, ChatRequest } from "../wire/Inference.ts"

/** What Zod, Valibot, ArkType and Effect have in common: https://standardschema.dev (read 2026-11-22). */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    /** Of those that can write themselves as JSON Schema. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<unknown> | undefined }> }

export type ParseRequest<Output> = ChatRequest & {
  /** Checks the content. One that knows its JSON Schema (Zod 4) stands for `response_format` too. */
  readonly schema?: StandardSchema<Output> | undefined
}

export type Parsed<Output> = Answered<ChatCompletion> & {
  /** null: the model refused, or called tools instead. */
  readonly parsed: Output | null
}

export const parsing = <Output>({ schema, ...request }: ParseRequest<Output>) => ({
  request: { ...request, response_format: request.response_format ?? formatOf(schema) } as ChatRequest,
  read: async (answer: Answered<ChatCompletion>): Promise<Parsed<Output>> => ({
    ...answer,
    parsed: await contentOf(answer, schema)
  })
})

const formatOf = (schema: StandardSchema<unknown> | undefined): ChatRequest["response_format"] => {
  const written = schema?.["~standard"].jsonSchema?.input({ target: "draft-2020-12" })
  if (written === undefined) {
    throw new ConfigurationError(
      "Say what the answer must look like: `response_format`, or a `schema` that knows its JSON Schema."
    )
  }
  const { $schema: _, ...rest } = written
  return { type: "json_schema", json_schema: { name: "answer", strict: true, schema: rest } }
}

const contentOf = async <Output>(
  answer: Answered<ChatCompletion>,
  schema: StandardSchema<Output> | undefined
): Promise<Output | null> => {
  const [choice] = answer.choices
  const content = choice?.message.content
  if (content === null || content === undefined || content === "") return null
  const fields = { requestId: answer.gateway?.requestId ?? undefined }
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    const why = choice?.finish_reason === "length" ? " It was cut off at the output limit." : ""
    throw new InvalidAnswerError(`The answer's content is no JSON.${why}`, fields)
  }
  if (schema === undefined) return value as Output
  const checked = await schema["~standard"].validate(value)
  if (checked.issues === undefined) return checked.value
  const issues = checked.issues.map(({ message, path }) =>
    path?.length ? `${path.map(keyOf).join(".")}: ${message}` : message
  )
  throw new InvalidAnswerError(`The answer does not fit the schema: ${issues.join("; ")}`, fields)
}

const keyOf = (segment: unknown): string =>
  typeof segment === "object" && segment !== null && "key" in segment ? String(segment.key) : String(segment)
