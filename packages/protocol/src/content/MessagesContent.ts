/** Where the Messages API has its content. */
import type { ContentView, StreamSoFar } from "./ContentView.ts"
import { type ContentBody, below, fieldRules } from "./FieldRules.ts"

const SOURCE = {
  none: `source.type source.media_type source.file_id`,
  data: `source.data`,
  url: `source.url`,
  field: `source.content source.content.*.text source.content.*.source.data`
}

const BLOCK = {
  none: `type cache_control.type id tool_use_id signature is_error citations.*.type citations.*.file_id`,
  data: `data`,
  field: `text title context citations`,
  signed_reasoning: `thinking`,
  tool_name: `name server_name`,
  tool_arguments: `input`,
  tool_result: `content`
}

/** Blocks may hold blocks: results of tools, and documents in them. */
const blocks = (path: string) => [
  below(path, { ...BLOCK, ...SOURCE }),
  below(path, SOURCE),
  below(path, BLOCK),
  below(`${path}.content.*`, BLOCK),
  below(`${path}.content.*`, SOURCE),
  below(`${path}.source.content.*`, { none: `type cache_control.type`, field: `text source` }),
  below(`${path}.source.content.*`, SOURCE)
]

const request = fieldRules(
  {
    none: `model stream service_tier thinking.type output_config.effort container tool_choice.type messages.*.role anthropic_version`,
    field: `system system.*.text messages.*.content metadata metadata.user_id stop_sequences`,
    tool_definition: `tools output_format output_config`,
    tool_name: `tool_choice`
  },
  below("tools.*", { none: `type cache_control.type` }),
  ...blocks("messages.*.content.*"),
  { none: `system.*.type system.*.cache_control.type` }
)

const HEAD = `id type role model stop_reason usage container`

const said = (path: string, piece: boolean) => [
  below(path, { ...BLOCK, signed_reasoning: "", reasoning: `thinking` }),
  ...(piece ? [] : [below(`${path}.content.*`, BLOCK)])
]

const response = fieldRules({ none: HEAD, field: `content stop_sequence` }, ...said("content.*", false))

const event = fieldRules(
  {
    none: `type index usage delta.type delta.stop_reason delta.signature delta.container error.type`,
    field: `delta.stop_sequence delta.citation error.message message.content content_block`,
    reasoning: `delta.thinking`,
    tool_arguments: `delta.partial_json`,
    piece: `delta.? delta.text delta.thinking delta.partial_json`
  },
  below("message", { none: HEAD, field: `stop_sequence` }),
  ...said("content_block", true)
)

/** Blocks come one after the other. */
const ends = ({ index, type }: ContentBody): string | undefined =>
  type === "content_block_stop" ? `index=${Number(index)}/` : type === "message_delta" ? "" : undefined

const stopped = ({ items }: StreamSoFar) => {
  const open = items.filter(({ type }) => type === "content_block_start").length
  const closed = items.filter(({ type }) => type === "content_block_stop").length
  const last = items.at(-1)?.["index"]
  const stop = open > closed ? [{ type: "content_block_stop", index: last }] : []
  const delta = { type: "message_delta", delta: { stop_reason: "refusal", stop_sequence: null } }
  return [
    ...stop.map((one) => ({ kind: "lifecycle" as const, data: one })),
    { kind: "finish" as const, data: delta },
    { kind: "lifecycle" as const, data: { type: "message_stop" } }
  ]
}

export const messagesContent: ContentView = {
  request,
  response,
  stream: { event, ends, stopped },
  denied: (body) => ({ ...body, content: [], stop_reason: "refusal", stop_sequence: null })
}
