/** The items of a request as this provider knows them. */
import { Result } from "effect"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isOwnId } from "../../../../core/operations/responses/OwnIds.ts"
import { THOUGHTS, unseal } from "../../../responses/Sealed.ts"
import { isObject } from "../../../json/LooseJson.ts"

interface OwnItems {
  readonly input: unknown
  readonly dropped: ReadonlyArray<string>
}

/** `whole`: the input with its long strings in it. */
export const ownItems = (
  input: unknown,
  whole: unknown,
  { deployment, strict }: UpstreamCall
): Result.Result<OwnItems, Unsupported> => {
  if (!Array.isArray(input) || !Array.isArray(whole)) return Result.succeed({ input, dropped: [] })
  const items: Array<unknown> = []
  const dropped = new Set<string>()
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) items.push(item)
    else if (item["type"] === "item_reference") return Result.fail(unresolved(index))
    else {
      const own = ownItem(item, whole[index], deployment.provider)
      if (own !== undefined) {
        items.push(own)
        continue
      }
      const isThought = item["type"] === "reasoning"
      if (strict || !isThought) return Result.fail(unreadable(index))
      dropped.add(THOUGHTS)
    }
  }
  return Result.succeed({ input: items, dropped: [...dropped] })
}

/** Undefined for what this provider can't read. */
const ownItem = (item: JsonObject, whole: unknown, provider: string): JsonObject | undefined => {
  const blob = isObject(whole) ? whole["encrypted_content"] : undefined
  const sealed = unseal(blob)
  if (sealed !== undefined) {
    if (sealed.provider !== provider) return undefined
    const { encrypted_content: _, id: __, ...rest } = item
    return {
      ...rest,
      ...(sealed.id === "" ? undefined : { id: sealed.id }),
      ...(sealed.content === "" ? undefined : { encrypted_content: sealed.content })
    }
  }
  if (!isOwnId(item["id"])) return item
  // It was kept by nobody, so its id says nothing; without one the item stands for itself.
  if (item["type"] === "reasoning" && (typeof blob !== "string" || blob === "")) return undefined
  if (!MAY_LACK_ID.has(String(item["type"] ?? "message"))) return item
  const { id: _, ...rest } = item
  return rest
}

const MAY_LACK_ID = new Set(
  `message reasoning function_call function_call_output custom_tool_call custom_tool_call_output`.split(" ")
)

const unresolved = (index: number): Unsupported =>
  new Unsupported({
    param: `input[${index}].id`,
    message: "this `item_reference` names no item that the gateway has kept: send the item itself"
  })

const unreadable = (index: number): Unsupported =>
  new Unsupported({
    param: `input[${index}].encrypted_content`,
    message:
      "only the provider that wrote this item can read it, and the request goes to another one: leave the item out"
  })
