/** The query of requests for stored responses. */
import { Result } from "effect"
import { InvalidField } from "../../../../core/domain/Errors.ts"
import type { HttpRequest } from "../../../routing/Endpoint.ts"

/** What can be asked for beyond the usual. All that was stored is in the response anyway. */
const includable = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs"
]

export const queryOf = ({ target }: HttpRequest): URLSearchParams => {
  const start = target.indexOf("?")
  return new URLSearchParams(start < 0 ? "" : target.slice(start + 1).replace(/#.*$/, ""))
}

type QueryResult<A> = Result.Result<A, InvalidField>

const wrong = (param: string, rule: string): QueryResult<never> =>
  Result.fail(new InvalidField({ param, message: `\`${param}\` must be ${rule}` }))

/** A whole number of at least `from`. */
export const numberIn = (
  query: URLSearchParams,
  name: string,
  from: number,
  to: number
): QueryResult<number | undefined> => {
  const given = query.get(name)
  if (given === null || given === "") return Result.succeed(undefined)
  const value = /^\d{1,9}$/.test(given) ? Number(given) : -1
  if (value >= from && value <= to) return Result.succeed(value)
  return wrong(name, to === Infinity ? `a whole number from ${from} on` : `a whole number from ${from} to ${to}`)
}

export const oneIn = <const Name extends string>(
  query: URLSearchParams,
  name: string,
  allowed: ReadonlyArray<Name>
): QueryResult<Name | undefined> => {
  const given = query.get(name)
  if (given === null || given === "") return Result.succeed(undefined)
  const found = allowed.find((one) => one === given)
  return found === undefined ? wrong(name, allowed.map((one) => `\`${one}\``).join(" or ")) : Result.succeed(found)
}

/** Checked alone: nothing that was stored is held back. */
export const checkInclude = (query: URLSearchParams): QueryResult<void> => {
  const given = ["include", "include[]"].flatMap((name) => query.getAll(name)).flatMap((one) => one.split(","))
  return given.every((one) => one === "" || includable.includes(one))
    ? Result.succeed(undefined)
    : wrong("include", `of these: ${includable.join(", ")}`)
}
