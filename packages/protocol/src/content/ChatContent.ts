/** Where chat and the legacy completions have their content. */
import type { ContentView, StreamSoFar } from "./ContentView.ts"
import { type ContentBody, below, fieldRules } from "./FieldRules.ts"

const PART = {
  none: `type cache_control.type image_url.detail input_audio.format file.file_id file_id`,
  data: `input_audio.data file.file_data data source.data`,
  url: `image_url image_url.url video_url video_url.url source.url file_url`,
  field: `text refusal file.filename source.media_type source.type`
}

const CALL = {
  none: `id type index`,
  tool_name: `function.name custom.name`,
  tool_arguments: `function.arguments custom.input`
}

const TOOLS = {
  none: `tools.*.type`,
  tool_definition: `tools functions response_format`,
  tool_name: `tool_choice function_call`
}

/** A message as callers send it. */
const MESSAGE = [
  {
    none: `role tool_call_id audio.id`,
    field: `content refusal content.*`,
    name: `name`,
    reasoning: `reasoning reasoning_content`,
    tool_arguments: `function_call.arguments`,
    tool_name: `function_call.name`,
    signed_reasoning: `reasoning_details extra_content thinking_blocks`
  },
  below("content.*", PART),
  below("tool_calls.*", CALL)
]

const chatRequest = fieldRules(
  {
    none: `model stream service_tier reasoning_effort verbosity modalities audio.voice audio.format stream_options`,
    field: `messages user metadata safety_identifier prompt_cache_key stop prediction.content prediction.content.*.text`
  },
  TOOLS,
  ...MESSAGE.map((paths) => below("messages.*", paths))
)

const completionsRequest = fieldRules({
  none: `model stream stream_options`,
  field: `prompt.* suffix stop user`,
  tokens: `prompt`
})

/** Fields of a response that its provider chooses. */
const HEAD = `id object created model system_fingerprint service_tier usage choices.*.finish_reason choices.*.index`

const SAID = {
  none: `role audio.id audio.expires_at`,
  repeats: `audio`,
  field: `content refusal content.*.text`,
  reasoning: `reasoning reasoning_content reasoning_text`,
  signed_reasoning: `reasoning_details thinking_blocks extra_content`,
  tool_arguments: `function_call.arguments`,
  tool_name: `function_call.name`,
  data: `images.*.image_url.url images.*.b64_json`
}

const response = fieldRules(
  { none: HEAD, field: `choices.*.text`, repeats: `choices.*.logprobs` },
  below("choices.*.message", SAID),
  below("choices.*.message.tool_calls.*", CALL)
)

const DELTA = {
  piece: `? content refusal reasoning reasoning_content function_call.arguments tool_calls.*.function.arguments tool_calls.*.custom.input`
}

const event = fieldRules(
  { none: HEAD, piece: `choices.*.text`, repeats: `choices.*.logprobs` },
  below("choices.*.delta", SAID),
  below("choices.*.delta.tool_calls.*", CALL),
  below("choices.*.delta", DELTA)
)

const choicesOf = (body: ContentBody | undefined): ReadonlyArray<ContentBody> => {
  const choices = body?.["choices"]
  return Array.isArray(choices) ? (choices as ReadonlyArray<ContentBody>) : []
}

/** A choice that says why it ended has no more text. */
const ends = (chunk: ContentBody): string | undefined => {
  const ended = choicesOf(chunk).find(({ finish_reason: reason }) => typeof reason === "string")
  return ended === undefined ? undefined : `index=${Number(ended["index"] ?? 0)}/`
}

/** Clients join what each chunk says, also the names of functions. */
const tail = (chunk: ContentBody): ContentBody => ({
  ...chunk,
  choices: choicesOf(chunk).map(({ delta, index }) => {
    const { role: _, tool_calls: calls, ...said } = delta as ContentBody
    const pieces = Array.isArray(calls) ? { tool_calls: (calls as ReadonlyArray<ContentBody>).map(withArguments) } : {}
    return { index, delta: { ...said, ...pieces }, finish_reason: null }
  })
})

const withArguments = ({ custom, function: called, index }: ContentBody): ContentBody => ({
  index,
  ...(called === undefined ? {} : { function: { arguments: (called as ContentBody)["arguments"] } }),
  ...(custom === undefined ? {} : { custom: { input: (custom as ContentBody)["input"] } })
})

/** Clients end a choice at its finish reason. */
const stopped = ({ first, last = first }: StreamSoFar, text: ContentBody) => {
  const [choice] = choicesOf(last)
  const ending = { index: choice?.["index"] ?? 0, ...text, finish_reason: "content_filter" }
  return [{ kind: "finish" as const, data: { ...last, choices: [ending] } }]
}

const denied = (body: ContentBody, text: ContentBody): ContentBody => ({
  ...body,
  choices: choicesOf(body).map(({ index }) => ({ index, ...text, finish_reason: "content_filter" }))
})

export const chatContent: ContentView = {
  request: chatRequest,
  response,
  stream: { event, ends, tail, stopped: (seen) => stopped(seen, { delta: {} }) },
  denied: (body) => denied(body, { message: { role: "assistant", content: "" } })
}

export const completionsContent: ContentView = {
  request: completionsRequest,
  response,
  stream: { event, ends, stopped: (seen) => stopped(seen, { text: "" }) },
  denied: (body) => denied(body, { text: "" })
}
