/** Vectors of texts or tokens. */
import { Result } from "effect"
import { embeddingsContent } from "@model-gateway/protocol"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readCount, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { readInputs } from "../ReadInputs.ts"
import { found, given } from "../RequestScan.ts"
import { unstreamed } from "../Unstreamed.ts"
import { vectorsAnswer } from "./VectorsAnswer.ts"

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
