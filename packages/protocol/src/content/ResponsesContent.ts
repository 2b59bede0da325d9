/** Where the Responses API has its content. Items of requests and of responses have the same shapes. */
import type { ContentView, StreamSoFar } from "./ContentView.ts"
import { type ContentBody, below, type ContentKind, fieldRules } from "./FieldRules.ts"

const PART = {
  none: `type detail file_id annotations.*.type annotations.*.file_id annotations.*.container_id format`,
  data: `file_data data`,
  url: `image_url file_url`,
  field: `text refusal filename annotations transcript`,
  repeats: `logprobs`
}

const ITEM = {
  none: `type id role status call_id phase encrypted_content approval_request_id`,
  data: `result`,
  field: `content summary summary.*.text`,
  reasoning: `summary content.*.reasoning_text`,
  tool_name: `name server_label namespace`,
  tool_arguments: `arguments input action operation queries`,
  tool_result: `output outputs results logs`,
  tool_definition: `tools`
}

const item = (path: string) => [
  below(path, ITEM),
  below(`${path}.content.*`, PART),
  below(`${path}.output.*`, PART),
  below(`${path}.output`, { none: `type`, url: `image_url` }),
  { none: `${path}.summary.*.type` }
]

const request = fieldRules(
  {
    none: `model stream store service_tier truncation include previous_response_id reasoning.effort reasoning.summary
      text.verbosity text.format.type tools.*.type tool_choice.type stream_options prompt.id prompt.version background`,
    field: `input instructions instructions.* prompt.variables user metadata safety_identifier prompt_cache_key`,
    tool_definition: `tools text.format`,
    tool_name: `tool_choice`
  },
  ...item("input.*"),
  ...item("instructions.*")
)

/** The response itself, which repeats fields of its request. */
const body = (path: string) => {
  const at = path === "" ? "" : `${path}.`
  const all = (list: string) =>
    list
      .split(/\s+/)
      .map((one) => `${at}${one}`)
      .join(" ")
  return [
    {
      none: all(`id object created_at completed_at status model usage service_tier incomplete_details previous_response_id
        reasoning truncation tool_choice text.verbosity tools error.code background store include prompt`),
      field: all(`output instructions metadata user safety_identifier prompt_cache_key error.message`),
      tool_definition: all(`text.format`)
    },
    ...item(`${at}output.*`)
  ]
}

const response = fieldRules(...body(""))

const event = fieldRules(
  {
    none: `type sequence_number item_id output_index content_index summary_index call_id partial_image_index obfuscation
      code param status`,
    data: `partial_image_b64`,
    repeats: `logprobs`,
    piece: `delta`,
    field: `text refusal message transcript input annotation part part.text part.refusal`,
    tool_arguments: `arguments`,
    tool_name: `name`
  },
  below("part", PART),
  ...item("item"),
  ...body("response")
)

const placeOf = ({ content_index: content, output_index: output, summary_index: summary }: ContentBody): string =>
  [
    ["output_index", output],
    ["content_index", content],
    ["summary_index", summary]
  ]
    .map(([name, number]) => (number === undefined ? "" : `${String(name)}=${String(number)}/`))
    .join("")

/** `….done` ends a text, and the end of an item all that is in it. */
const ends = (event: ContentBody): string | undefined => {
  const type = String(event["type"])
  if (type === "response.completed" || type === "response.incomplete" || type === "response.failed") return ""
  return type.endsWith(".done") ? placeOf(event) : undefined
}

const kindOf = ({ type }: ContentBody): ContentKind | undefined =>
  String(type).endsWith("arguments.delta") ? "tool_arguments" : /reasoning/.test(String(type)) ? "reasoning" : undefined

const stopped = ({ first, items }: StreamSoFar) => {
  const begun = first?.["response"] as ContentBody | undefined
  const output = items.flatMap(({ item, type }) => (type === "response.output_item.done" ? [item] : []))
  const response = { ...begun, status: "incomplete", incomplete_details: { reason: "content_filter" }, output }
  return [{ kind: "finish" as const, data: { type: "response.incomplete", response } }]
}

export const responsesContent: ContentView = {
  request,
  response,
  stream: { event, ends, kindOf, stopped },
  denied: (body) => ({
    ...body,
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: []
  })
}
