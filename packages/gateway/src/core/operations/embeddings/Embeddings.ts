/** Vectors of texts or tokens. */
import { embeddingsContent } from "@model-gateway/protocol"
import { Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, type Usage } from "../../domain/Usage.ts"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import type { BinaryAnswer, LiftedAnswer } from "../LiftedAnswer.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readCount, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { readInputs } from "../ReadInputs.ts"
import { found, given } from "../RequestScan.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { unstreamed } from "../Unstreamed.ts"

// A response of vectors for the caller. They may be a hundred megabytes, so their JSON is never parsed here.

/** `answer.raw`: the JSON of `data`. */
const vectorsAnswer = ({ body, raw }: LiftedAnswer, usage: Usage, report: RoutingMetadata): BinaryAnswer => {
  const told = (body["usage"] as JsonObject | undefined) ?? wireUsage(usage)
  const head = { ...body, usage: { ...told, cost: costInUsd(report) }, gateway: gatewayObject(report) }
  const opened = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":`)
  return {
    contentType: "application/json",
    bytes: Buffer.concat([opened, raw?.bytes ?? Buffer.from("[]"), Buffer.from("}")])
  }
}

/** Usage in the shape of embeddings, which have no output. */
const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: inputTokens(usage),
  total_tokens: inputTokens(usage)
})

export const embeddings: Operation = {
  name: "embeddings",
  path: "/v1/embeddings",
  content: embeddingsContent,
  read: (body) => (body.kind === "json" ? read(body.value, body.bytes, body.long) : notJson()),
  produced: () => nothing,
  withMetadata: vectorsAnswer,
  relay: unstreamed
}

const read = (body: unknown, bytes: number, long?: LongStrings): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const [fields, model] = yield* readModel(body)
    const { sizes } = yield* readInputs(fields, "input", bytes)
    yield* readCount(fields, "dimensions")
    const format = given(fields["encoding_format"])
    if (format !== undefined && format !== "float" && format !== "base64") {
      return yield* wrong("encoding_format", `\`encoding_format\` must be "float" or "base64", ${found(format)}`)
    }
    return {
      body: fields,
      contents: "input",
      model,
      ...unwritten,
      needs: ["embeddings"],
      ...sizes,
      ...(long === undefined ? undefined : { long })
    } satisfies CallRequest as CallRequest
  })
