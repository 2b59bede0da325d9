/** Reads the form of a transcription leniently: unknown fields pass, and empty ones count as absent. */
import { Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { CallRequest } from "../CallRequest.ts"
import { oneFile, withFlag } from "../FormFields.ts"
import { wrong } from "../ParseFields.ts"
import type { FormBody, Upload } from "../RequestBody.ts"
import { found, given } from "../RequestScan.ts"
import { recordingBilling } from "./RecordingBilling.ts"

/** Tokens that an API adds around the prompt. */
const FRAME_TOKENS = 128

/** `mayStream`: whether `stream` means something here. */
export const readTranscription = (form: FormBody, mayStream: boolean): Result.Result<CallRequest, InvalidField> => {
  const file = oneFile(form, "file")
  if (Result.isFailure(file)) return Result.fail(file.failure)
  const fields = withFlag(form.fields, "stream")
  const model = given(fields["model"]) ?? "auto"
  if (typeof model !== "string") return wrong("model", `\`model\` must be a model name or "auto", ${found(model)}`)
  const stream = given(fields["stream"]) ?? false
  if (typeof stream !== "boolean") return wrong("stream", `\`stream\` must be true or false, ${found(stream)}`)
  const format = given(fields["response_format"]) ?? "json"
  if (typeof format !== "string") {
    return wrong("response_format", `\`response_format\` must be a format such as "json", ${found(format)}`)
  }
  const textBound = Buffer.byteLength(JSON.stringify(fields)) + FRAME_TOKENS
  const prompt = given(fields["prompt"])
  const names = namesOf(file.success)
  return Result.succeed({
    body: fields,
    files: form.files,
    contents: "prompt",
    model,
    stream: stream && mayStream,
    includeUsage: false,
    prompt: "",
    hasUnread: true,
    history: [],
    needs: [],
    textBound,
    mediaEstimate: 0,
    media: [{ kind: "audio", path: "file", source: undefined, detail: undefined, file: file.success, names }],
    inputEstimate: 0,
    maxOutput: 0,
    choices: 1,
    billing: recordingBilling(file.success, names, typeof prompt === "string" ? prompt : "", textBound)
  })
}

/** What is said of the kind of a recording. Clients that know nothing of it say that it is bytes. */
const namesOf = ({ contentType, filename }: Upload): ReadonlyArray<string> => {
  const ending = /\.(\w+)$/.exec(filename)?.[1]
  const type = contentType.split(";")[0]!.trim()
  return [ending, type].flatMap((name) =>
    name === undefined || name === "" || name === "application/octet-stream" ? [] : [name.toLowerCase()]
  )
}
