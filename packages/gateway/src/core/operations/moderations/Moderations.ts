/** Whether texts and images are harmful. `model` may be left out, as at the vendor: then the first that can does it. */
import { Predicate, Result } from "effect"
import { moderationsContent } from "@model-gateway/protocol"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { readInputs } from "../ReadInputs.ts"
import { found, given, RequestScan } from "../RequestScan.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { unstreamed } from "../Unstreamed.ts"
import type { Usage } from "../../domain/Usage.ts"

export const moderations: Operation = {
  name: "moderations",
  path: "/v1/moderations",
  content: moderationsContent,
  read: (body) => (body.kind === "json" ? read(body.value, body.bytes, body.long) : notJson()),
  produced: () => nothing,
  withMetadata: (answer, _: Usage, report) => answerText(answer, report),
  relay: unstreamed
}

const read = (body: unknown, bytes: number, long?: LongStrings): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const [fields, model] = yield* readModel(withModel(body))
    const sizes = yield* readContents(fields, bytes)
    return {
      body: fields,
      contents: "input",
      model,
      ...unwritten,
      ...sizes,
      ...(long === undefined ? undefined : { long })
    } satisfies CallRequest as CallRequest
  })

/** Without a model it asks for `auto`. The fields stay as they came. */
const withModel = (body: unknown): unknown => {
  if (!Predicate.isObject(body) || Array.isArray(body)) return body
  const fields = body as JsonObject
  return given(fields["model"]) === undefined ? { ...fields, model: "auto" } : fields
}

type ModerationSizes = Pick<CallRequest, "media" | "textBound" | "mediaEstimate" | "inputEstimate" | "separate">

/** A text, a list of texts, or a list of parts, which are judged together. */
const readContents = (fields: JsonObject, bytes: number): Result.Result<ModerationSizes, InvalidField> => {
  const input: unknown = given(fields["input"])
  if (isParts(input)) {
    const seen = new RequestScan()
    const mistake = seen.nested(input, "input", [])
    return mistake === undefined ? Result.succeed({ media: seen.media, ...seen.sizes(bytes) }) : Result.fail(mistake)
  }
  const isTexts = typeof input === "string" || (Array.isArray(input) && input.every((one) => typeof one === "string"))
  if (!isTexts) {
    return wrong("input", `\`input\` must be a text, a list of texts, or a list of parts, ${found(input)}`)
  }
  return Result.map(readInputs(fields, "input", bytes), ({ sizes }) => ({ media: [], ...sizes }))
}

const isParts = (input: unknown): input is ReadonlyArray<JsonObject> =>
  Array.isArray(input) && input.length > 0 && input.every((one) => Predicate.isObject(one))

/** Its shape has no usage; some vendors add theirs. */
const answerText = ({ body }: LiftedAnswer, report: RoutingMetadata): string => {
  const { usage } = body
  const told = Predicate.isObject(usage) ? { usage: { ...(usage as JsonObject), cost: costInUsd(report) } } : undefined
  return JSON.stringify({ ...body, ...told, gateway: gatewayObject(report) })
}
