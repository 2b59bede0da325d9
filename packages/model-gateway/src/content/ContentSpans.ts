/** The spans of a request with its content on the call that responded, in the attributes of OpenTelemetry's GenAI conventions. */
import { OtlpResource } from "effect/observability"
import type { ContentMessage, ContentPart, RequestContent } from "@model-gateway/protocol"
import { type Span, spansOf } from "../telemetry/otlp/Spans.ts"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"

const CLIENT = 3

/** A request on its way to the sinks. */
export interface ContentItem {
  readonly receipt: Receipt
  readonly content: RequestContent
  /** Its JSON, with a line end. */
  readonly line: string
}

export const contentSpans = ({ content, receipt }: ContentItem): ReadonlyArray<Span> => {
  const spans = spansOf(receipt)
  const call = spans.findLast(({ kind }) => kind === CLIENT) ?? spans[0]
  const { input, output, system, tools } = content
  const attributes = {
    "gen_ai.input.messages": JSON.stringify(input.map(messageOf)),
    "gen_ai.output.messages": JSON.stringify(output.map(messageOf)),
    "gen_ai.system_instructions": system.length === 0 ? undefined : JSON.stringify(system.map(partOf)),
    "gen_ai.tool.definitions": tools ?? undefined
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) call?.attributes.push({ key, value: OtlpResource.unknownToAttributeValue(value) })
  }
  return spans
}

const messageOf = ({ parts, ...message }: ContentMessage) => ({ ...message, parts: parts.map(partOf) })

/** Metadata have lengths in the place of texts. */
const partOf = ({ length, ...part }: ContentPart) =>
  part.content === undefined && part.arguments === undefined && part.response === undefined ? { ...part, length } : part
