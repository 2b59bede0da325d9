/** What the requests of protocols without schemas of their own have in common. */
import { Result } from "effect"
import { Unsupported } from "../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"
import { encodeJson, isObject, textOf } from "../../json/LooseJson.ts"
import { Losses } from "./Losses.ts"

/** The request with this body at `path`. `streamType`: the media type of a stream. */
export const lowerChat = (
  call: UpstreamCall,
  path: string,
  streamType: string,
  bodyOf: (call: UpstreamCall, losses: Losses) => JsonObject
): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const body = encodeJson(bodyOf(call, losses))
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  if (body === undefined) {
    return Result.fail(new Unsupported({ message: "the request is nested too deeply", param: "messages" }))
  }
  const accept = call.request.stream ? streamType : "application/json"
  return Result.succeed({
    path,
    headers: { "content-type": "application/json", accept },
    body,
    dropped: losses.dropped
  })
}

const NO_ARGUMENTS = { type: "object", properties: {} }

export interface FunctionTool {
  readonly name: string
  readonly isStrict: boolean | undefined
  /** Name, description and parameters, as OpenAI has them. */
  readonly declared: JsonObject
}

/** The function that a tool declares; another kind of tool is refused. */
export const functionTool = (tool: unknown, param: string, losses: Losses): ReadonlyArray<FunctionTool> => {
  const given = isObject(tool) ? tool["function"] : undefined
  const name = isObject(given) ? textOf(given["name"]) : undefined
  if (!isObject(given) || name === undefined) {
    losses.refuse(param, "only function tools can be sent to this provider")
    return []
  }
  const { description, parameters, strict } = given
  const declared = {
    name,
    ...(textOf(description) === undefined ? {} : { description }),
    parameters: isObject(parameters) ? parameters : NO_ARGUMENTS
  }
  return [{ name, isStrict: typeof strict === "boolean" ? strict : undefined, declared }]
}
