/** Parameters that a vendor takes differently, as its file says (`Quirks`): some it refuses, some have other names or a narrower range. */
import { Result } from "effect"
import type { Quirks } from "../../../../core/domain/Deployment.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import { nearestEffort } from "../../shared/Efforts.ts"
import { isObject } from "../../shared/Json.ts"

const NOTHING: ReadonlyArray<string> = []

/** Changes `body`. The names of the caller's parameters that were left out or weakened; where the caller is strict, a refusal. */
export const adapted = (
  body: Record<string, unknown>,
  { efforts, ranges, refuses, renames }: Quirks,
  strict: boolean
): Result.Result<ReadonlyArray<string>, Unsupported> => {
  if (refuses === undefined && renames === undefined && ranges === undefined && efforts === undefined)
    return Result.succeed(NOTHING)
  const lost = [
    ...(refuses ?? []).filter((path) => remove(body, path)),
    ...clamp(body, ranges ?? {}),
    ...weigh(body, efforts)
  ]
  const [first] = lost
  if (strict && first !== undefined) {
    const range = ranges?.[first]
    const takes = range === undefined ? "does not take it" : `takes ${range[0]} to ${range[1]}`
    const message = `the provider ${takes}: change or leave out \`${first}\`, or choose another model`
    return Result.fail(new Unsupported({ message, param: first }))
  }
  for (const [name, theirs] of Object.entries(renames ?? {})) {
    if (body[name] === undefined) continue
    body[theirs] ??= body[name]
    delete body[name]
  }
  return Result.succeed(lost)
}

/** The nearest effort that the model has. The name of the field, in chat's words or those of Responses, where that is another. */
const weigh = (body: Record<string, unknown>, efforts: Quirks["efforts"]): ReadonlyArray<string> => {
  const { reasoning, reasoning_effort: effort } = body
  if (typeof effort === "string") {
    body["reasoning_effort"] = nearestEffort(effort, efforts)
    return body["reasoning_effort"] === effort ? NOTHING : ["reasoning_effort"]
  }
  if (!isObject(reasoning) || typeof reasoning["effort"] !== "string") return NOTHING
  const sent = nearestEffort(reasoning["effort"], efforts)
  if (sent === reasoning["effort"]) return NOTHING
  body["reasoning"] = { ...reasoning, effort: sent }
  return ["reasoning.effort"]
}

const IN_MESSAGES = "messages[]."
const IN_FUNCTIONS = "tools[].function."

/** Whether it was there. */
const remove = (body: Record<string, unknown>, path: string): boolean => {
  if (path.startsWith(IN_MESSAGES)) return removeFromEach(body, "messages", path.slice(IN_MESSAGES.length))
  if (path.startsWith(IN_FUNCTIONS)) return removeFromTools(body, path.slice(IN_FUNCTIONS.length))
  if (body[path] === undefined) return false
  // What asks for nothing is no loss.
  const isLoss = body[path] !== false
  delete body[path]
  return isLoss
}

const removeFromEach = (body: Record<string, unknown>, list: string, name: string): boolean => {
  const items = body[list]
  if (!Array.isArray(items) || !items.some((item) => isObject(item) && item[name] !== undefined)) return false
  body[list] = items.map((item: unknown) => (isObject(item) ? without(item, name) : item))
  return true
}

const removeFromTools = (body: Record<string, unknown>, name: string): boolean => {
  const { tools } = body
  if (!Array.isArray(tools)) return false
  let isLoss = false
  body["tools"] = tools.map((tool: unknown) => {
    if (!isObject(tool) || !isObject(tool["function"]) || tool["function"][name] === undefined) return tool
    isLoss ||= tool["function"][name] !== false
    return { ...tool, function: without(tool["function"], name) }
  })
  return isLoss
}

const without = (item: { readonly [field: string]: unknown }, name: string): object => {
  const { [name]: _, ...rest } = item
  return rest
}

/** Brings numbers to the nearest end of their range. The names of those that lay outside. */
const clamp = (body: Record<string, unknown>, ranges: NonNullable<Quirks["ranges"]>): ReadonlyArray<string> =>
  Object.entries(ranges).flatMap(([name, [least, most]]) => {
    const value = body[name]
    if (typeof value !== "number" || (value >= least && value <= most)) return []
    body[name] = Math.min(most, Math.max(least, value))
    return [name]
  })
