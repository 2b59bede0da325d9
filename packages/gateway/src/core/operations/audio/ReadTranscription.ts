/** Reads the form of a transcription leniently: unknown fields pass, and empty ones count as absent. */
import { Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import { oneFile, withFlag } from "../FormFields.ts"
import { readFlag, readOptionalModel, wrong } from "../ParseFields.ts"
import type { FormBody, Upload } from "../RequestBody.ts"
import { found, given } from "../RequestScan.ts"
import { recordingBilling } from "./RecordingBilling.ts"

/** Tokens that an API adds around the prompt. */
const FRAME_TOKENS = 128

/** `mayStream`: whether `stream` means something here. */
export const readTranscription = (form: FormBody, mayStream: boolean): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const file = yield* oneFile(form, "file")
    const fields = withFlag(form.fields, "stream")
    const model = yield* readOptionalModel(fields)
    const stream = yield* readFlag(fields, "stream")
    const format = given(fields["response_format"]) ?? "json"
    if (typeof format !== "string") {
      return yield* wrong("response_format", `\`response_format\` must be a format such as "json", ${found(format)}`)
    }
    const textBound = Buffer.byteLength(JSON.stringify(fields)) + FRAME_TOKENS
    const prompt = given(fields["prompt"])
    const names = namesOf(file)
    return {
      ...unwritten,
      body: fields,
      files: form.files,
      contents: "prompt",
      model,
      stream: stream === true && mayStream,
      hasUnread: true,
      textBound,
      media: [{ kind: "audio", path: "file", source: undefined, detail: undefined, file, names }],
      billing: recordingBilling(file, names, typeof prompt === "string" ? prompt : "", textBound)
    } satisfies CallRequest as CallRequest
  })

/** What is said of the kind of a recording. Clients that know nothing of it say that it is bytes. */
const namesOf = ({ contentType, filename }: Upload): ReadonlyArray<string> => {
  const ending = /\.(\w+)$/.exec(filename)?.[1]
  const type = contentType.split(";")[0]!.trim()
  return [ending, type].flatMap((name) =>
    name === undefined || name === "" || name === "application/octet-stream" ? [] : [name.toLowerCase()]
  )
}
