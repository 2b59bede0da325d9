/** Answers in a schema's shape: by a tool call, by a JSON schema that the provider keeps to, or by asking for JSON. */
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from "@langchain/core/language_models/base"
import {
  assembleStructuredOutputPipeline,
  createContentParser,
  createFunctionCallingParser
} from "@langchain/core/language_models/structured_output"
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages"
import { OutputParserException } from "@langchain/core/output_parsers"
import { JsonOutputKeyToolsParser } from "@langchain/core/output_parsers/openai_tools"
import type { ChatGeneration } from "@langchain/core/outputs"
import type { Runnable } from "@langchain/core/runnables"
import { toJsonSchema } from "@langchain/core/utils/json_schema"
import { isSerializableSchema } from "@langchain/core/utils/standard_schema"
import { getSchemaDescription, isInteropZodSchema } from "@langchain/core/utils/types"
import { assertDescribable } from "../request/Describable.ts"
import { GatewayInputError } from "../Errors.ts"
import { explained, shown, whyNot } from "./Explained.ts"
import type { ChatGatewayCallOptions } from "../Fields.ts"

type Schema = Readonly<Record<string, unknown>>
type Bind = (options: Partial<ChatGatewayCallOptions>) => Runnable<BaseLanguageModelInput, AIMessageChunk>
type Method = "functionCalling" | "jsonSchema" | "jsonMode"

/** `canFollowSchema`: the model is known to keep to a JSON schema by itself. */
export const structuredOutput = (
  bind: Bind,
  schema: unknown,
  config: StructuredOutputMethodOptions<boolean>,
  canFollowSchema: boolean
) => {
  // Some libraries' schemas are functions.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    throw new GatewayInputError("`withStructuredOutput` needs a zod schema, a Standard Schema or a JSON schema.")
  }
  assertDescribable(schema, "`withStructuredOutput`")
  const method =
    config.method === undefined ? (canFollowSchema ? "jsonSchema" : "functionCalling") : read(config.method)
  const wanted = wantedOf(schema as Schema, config)
  const [options, parser] = plans[method](wanted)
  const llm = bind({
    ...options,
    ls_structured_output_format: { kwargs: { method }, schema: wanted.parameters }
  } as Partial<ChatGatewayCallOptions>)
  return assembleStructuredOutputPipeline(llm, parser, config.includeRaw ?? false, "ChatGatewayStructuredOutput")
}

const read = (method: string): Method => {
  if (method === "functionCalling" || method === "jsonSchema" || method === "jsonMode") return method
  throw new GatewayInputError(`\`method\` must be functionCalling, jsonSchema or jsonMode, not ${method}.`)
}

/** What is asked for, however it was said. */
interface Wanted {
  readonly name: string
  readonly description: string | undefined
  /** JSON schema. */
  readonly parameters: Schema
  /** For the parser, which validates with it where it can. */
  readonly schema: Schema
  readonly strict: boolean | undefined
}

const DEFAULT_NAME = "extract"

const wantedOf = (schema: Schema, { name, strict }: StructuredOutputMethodOptions<boolean>): Wanted => {
  if (isInteropZodSchema(schema) || isSerializableSchema(schema)) {
    const parameters = toJsonSchema(schema) as Schema
    const description = isInteropZodSchema(schema) ? getSchemaDescription(schema) : parameters["description"]
    return { name: name ?? DEFAULT_NAME, description: textOf(description), parameters, schema, strict }
  }
  // A function's definition, as the vendor's own examples have it.
  const isDefinition = typeof schema["name"] === "string" && typeof schema["parameters"] === "object"
  const parameters = isDefinition ? (schema["parameters"] as Schema) : schema
  const title = isDefinition ? schema["name"] : schema["title"]
  const fits = typeof title === "string" && /^[\w-]{1,64}$/.test(title)
  return {
    name: name ?? (fits ? title : DEFAULT_NAME),
    description: textOf(schema["description"]),
    parameters,
    schema: parameters,
    strict
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

type Parser = Parameters<typeof assembleStructuredOutputPipeline>[1]
type Plan = (wanted: Wanted) => readonly [options: Partial<ChatGatewayCallOptions>, parser: Parser]

const plans: { readonly [M in Method]: Plan } = {
  functionCalling: ({ description, name, parameters, schema, strict }) => {
    const definition = { name, description: description ?? "The answer, in this shape.", parameters }
    const tools = [{ type: "function" as const, function: definition }]
    const options = {
      tools,
      tool_choice: name,
      ...(strict === undefined ? {} : { strict })
    }
    return [options, createFunctionCallingParser(schema as never, name, ExactToolsParser as never) as Parser]
  },
  jsonSchema: ({ description, name, parameters, schema, strict }) => {
    const json_schema = {
      name,
      schema: parameters,
      ...(description === undefined ? {} : { description }),
      ...(strict === undefined ? {} : { strict })
    }
    return [{ response_format: { type: "json_schema", json_schema } }, contentParser(schema)]
  },
  jsonMode: ({ schema }) => [{ response_format: { type: "json_object" } }, contentParser(schema)]
}

const contentParser = (schema: Schema): Parser => explained(createContentParser(schema as never)) as Parser

/** An answer without the call that was asked for is an error, not `undefined`. */
class ExactToolsParser extends JsonOutputKeyToolsParser {
  static override lc_name() {
    return "ExactToolsParser"
  }

  override async parseResult(generations: Array<ChatGeneration>): Promise<never> {
    const result: unknown = await super.parseResult(generations)
    if (result !== undefined) return result as never
    const [answer] = generations
    const { args = "" } =
      (answer?.message as AIMessage | undefined)?.invalid_tool_calls?.find(({ name }) => name === this.keyName) ?? {}
    const what = args === "" ? "" : " with arguments that can be read"
    const why = whyNot(answer) ?? `it said: ${shown(args || (answer?.text ?? ""))}`
    throw new OutputParserException(`The model did not call \`${this.keyName}\`${what}; ${why}`, args || answer?.text)
  }
}
