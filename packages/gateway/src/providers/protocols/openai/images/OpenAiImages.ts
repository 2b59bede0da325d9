/** Images as `POST /images/generations`, `/images/edits` and `/images/variations`. The caller speaks the same language. */
import { Result } from "effect"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { formBody } from "../../../transport/FormBody.ts"
import { forwarded } from "../OpenAiForwarded.ts"
import { lift, remoteImages } from "./OpenAiImagesResponse.ts"
import { replay, stream } from "./OpenAiImagesStream.ts"

const dialect = (path: string, prefix: string): Dialect => ({
  lower: (call) => Result.succeed(lowered(call, path)),
  lift,
  remote: remoteImages,
  stream,
  replay: (answer, call) => replay(answer, call, prefix)
})

export const OpenAiImages = dialect("/images/generations", "image_generation")
export const OpenAiImageEdits = dialect("/images/edits", "image_edit")
export const OpenAiImageVariations = dialect("/images/variations", "image_variation")

const lowered = (call: UpstreamCall, path: string): WireRequest => {
  const { deployment, request } = call
  const { body, splice } = forwarded(call)
  // What the caller wants is made of what comes.
  if (deployment.quirks?.onlyInlineImages === true) delete body["response_format"]
  const accept = request.stream ? "text/event-stream" : "application/json"
  if (request.files !== undefined) {
    const form = formBody(body, request.files)
    return { ...form, path, headers: { ...form.headers, accept }, dropped: [] }
  }
  return {
    path,
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
    splice,
    dropped: []
  }
}
