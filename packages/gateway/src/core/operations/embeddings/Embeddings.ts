/** Vectors of texts or tokens. */
import { Result } from "effect"
import { embeddingsContent } from "@model-gateway/protocol"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { readInputs } from "../ReadInputs.ts"
import { found, given, isCount } from "../RequestScan.ts"
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
    const dimensions = given(fields["dimensions"])
    if (dimensions !== undefined && !isCount(dimensions)) {
      return yield* wrong("dimensions", `\`dimensions\` must be a whole number of at least 1, ${found(dimensions)}`)
    }
    const format = given(fields["encoding_format"])
    if (format !== undefined && format !== "float" && format !== "base64") {
      return yield* wrong("encoding_format", `\`encoding_format\` must be "float" or "base64", ${found(format)}`)
    }
    return {
      body: fields,
      contents: "input",
      model,
      stream: false,
      includeUsage: false,
      prompt: "",
      hasUnread: false,
      history: [],
      needs: ["embeddings"],
      media: [],
      maxOutput: 0,
      choices: 1,
      ...sizes,
      ...(long === undefined ? undefined : { long })
    } satisfies CallRequest as CallRequest
  })
