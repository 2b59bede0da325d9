/** Reads the fields that several endpoints share. Leniently: `null` and `""` count as absent. */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import { InvalidField } from "../domain/Errors.ts"
import { formatBits, optionBits } from "./RequestFeatures.ts"
import { found, given, isCount, type RequestScan } from "./RequestScan.ts"

const MAX_CHOICES = 128
/** The lists of tools, by their newer and their older name. */
const TOOLS = ["tools", "functions"]
/** No model writes more, and money for more could not be counted. */
export const MAX_OUTPUT = 10_000_000

export interface ChatOptions {
  readonly stream: boolean
  readonly choices: number
  readonly maxOutput: number | undefined
}

/** The body as an object, and the model it asks for. */
export const readModel = (body: unknown): Result.Result<readonly [fields: JsonObject, model: string], InvalidField> => {
  if (!Predicate.isObject(body) || Array.isArray(body)) return wrong("body", "the body must be a JSON object")
  const fields = body as JsonObject
  const { model } = fields
  return typeof model === "string" && model !== ""
    ? Result.succeed([fields, model])
    : wrong("model", `\`model\` must be a model name or "auto", ${found(model)}`)
}

/** The model of a request that may leave it out. */
export const readOptionalModel = (fields: JsonObject): Result.Result<string, InvalidField> => {
  const model = given(fields["model"]) ?? "auto"
  return typeof model === "string"
    ? Result.succeed(model)
    : wrong("model", `\`model\` must be a model name or "auto", ${found(model)}`)
}

/** `holder`: where the field stands, with a dot behind it. */
export const readFlag = (
  fields: JsonObject,
  name: string,
  holder = ""
): Result.Result<boolean | undefined, InvalidField> => {
  const value = given(fields[name])
  const param = `${holder}${name}`
  return value === undefined || typeof value === "boolean"
    ? Result.succeed(value)
    : wrong(param, `\`${param}\` must be true or false, ${found(value)}`)
}

export const readCount = (fields: JsonObject, name: string): Result.Result<number | undefined, InvalidField> => {
  const value = given(fields[name])
  return value === undefined || isCount(value)
    ? Result.succeed(value)
    : wrong(name, `\`${name}\` must be a whole number of at least 1, ${found(value)}`)
}

/** Reads output options and adds the needed capabilities to `seen`. `limits`: names of the output limit; the first counts. */
export const readOptions = (
  fields: JsonObject,
  seen: RequestScan,
  limits: ReadonlyArray<string>
): Result.Result<ChatOptions, InvalidField> => {
  const stream = given(fields["stream"]) ?? false
  if (typeof stream !== "boolean") return wrong("stream", `\`stream\` must be true or false, ${found(stream)}`)
  const choices = given(fields["n"]) ?? 1
  if (!isCount(choices) || choices > MAX_CHOICES) {
    return wrong("n", `\`n\` must be a whole number from 1 to ${MAX_CHOICES}, ${found(choices)}`)
  }
  let maxOutput: number | undefined
  for (const name of limits) {
    const limit = given(fields[name])
    if (limit === undefined) continue
    if (!isCount(limit) || limit > MAX_OUTPUT) {
      return wrong(name, `\`${name}\` must be a whole number from 1 to ${MAX_OUTPUT}, ${found(limit)}`)
    }
    maxOutput ??= limit
  }
  for (const name of TOOLS) {
    const tools = given(fields[name])
    if (tools === undefined) continue
    if (!Array.isArray(tools)) return wrong(name, `\`${name}\` must be a list, ${found(tools)}`)
    if (tools.length > 0) seen.need("tools")
  }
  seen.features |= optionBits(fields)
  if (stream) seen.need("stream")
  return Result.succeed({ stream, choices, maxOutput })
}

/** `format`: `{ "type": "json_schema", … }` needs a deployment that supports schemas. */
export const readFormat = (format: unknown, seen: RequestScan): void => {
  if (!Predicate.hasProperty(format, "type")) return
  seen.features |= formatBits(format.type)
  if (format.type === "json_schema") seen.need("json_schema")
}

export const notJson = () => wrong("body", "the body must be a JSON object, not a form")

export const wrong = (param: string, message: string) => Result.fail(new InvalidField({ param, message }))
