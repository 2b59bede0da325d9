/**
 * `POST /v1/responses/compact`: a model summarizes a long conversation into a `compaction` item, which the gateway reads back in
 * later requests, so that any model continues from it.
 */
import { Predicate, Result } from "effect"
import { type JsonObject, without } from "../domain/Json.ts"
import { InvalidField } from "../domain/Errors.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import { given } from "../operations/RequestScan.ts"
import type { LiftedAnswer } from "../operations/LiftedAnswer.ts"
import type { Operation } from "../operations/Operation.ts"
import { withMetadata } from "../operations/responses/ResponsesAnswerText.ts"
import { responses } from "../operations/responses/Responses.ts"
import { itemsOf, ownItemId, typeOf, withIds } from "./ResponseItems.ts"

const INSTRUCTION = `The conversation above gets too long and goes on from a summary of it, which replaces everything but the user's latest messages. Write this summary for the model that goes on. Say what the user wants, with every requirement and preference that was stated; what was done and decided, and why; names, paths, numbers, identifiers and results of tools that are still needed, exactly; what is open, and what comes next. Write the summary alone, without calling tools and without an introduction.`

const SUMMARY = "A summary of the conversation so far, written to keep it short:"

/** Fields that would change the summary or the form of the response. */
const LEFT_OUT = ["stream", "stream_options", "text", "store", "background", "conversation", "include"]

/** The caller's newest messages that stay as they are, in characters of JSON. */
const MOST_KEPT = 80_000

export const compaction: Operation = {
  ...responses,
  path: "/v1/responses/compact",
  read: (body) => {
    if (body.kind !== "json" || !Predicate.isObject(body.value)) return responses.read(body)
    const fields = body.value as JsonObject
    const items = itemsOf(fields["input"])
    if (items.length === 0 && given(fields["previous_response_id"]) === undefined) {
      const message = "there is nothing to compact: `input` must be a text or a list of at least one item"
      return Result.fail(new InvalidField({ param: "input", message }))
    }
    // A request that was changed since is read again.
    const input = items.at(-1) === instruction ? items : [...items, instruction]
    const value = { ...without(fields, LEFT_OUT), ...quiet(fields["tools"]), input }
    return responses.read({ kind: "json", value, bytes: body.bytes + INSTRUCTION.length })
  },
  withMetadata: (answer, usage, report, request) => {
    const { created_at, gateway, id, usage: used } = withMetadata(answer.body, usage, report)
    const output = compacted(answer, request)
    return JSON.stringify({ id, object: "response.compaction", created_at, output, usage: used, gateway })
  }
}

/** Tools stay, as some providers must know those that were called; none is called now. */
const quiet = (tools: unknown): JsonObject => (Array.isArray(tools) && tools.length > 0 ? { tool_choice: "none" } : {})

const instruction = { type: "message", role: "user", content: [{ type: "input_text", text: INSTRUCTION }] }

/** A model that wrote nothing leaves the conversation as it was. */
const compacted = ({ body }: LiftedAnswer, { history }: CallRequest): ReadonlyArray<JsonObject> => {
  const said = withIds(history.slice(0, -1))
  const summary = textIn(body["output"])
  if (summary === "") return said
  return [...newestOf(said), { id: ownItemId("compaction"), type: "compaction", encrypted_content: sealed(summary) }]
}

const newestOf = (items: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const kept: Array<JsonObject> = []
  let room = MOST_KEPT
  for (const item of items.toReversed()) {
    if (typeOf(item) !== "message" || item["role"] !== "user" || isSummary(item)) continue
    room -= JSON.stringify(item).length
    if (room < 0) break
    kept.unshift(item)
  }
  return kept
}

const textIn = (output: unknown): string =>
  partsOf(output)
    .filter((item) => typeOf(item) === "message")
    .flatMap(({ content }) => partsOf(content))
    .flatMap(({ text, type }) => (type === "output_text" && typeof text === "string" ? [text] : []))
    .join("\n")
    .trim()

const partsOf = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => Predicate.isObject(one)) : []

/** It is the caller's own conversation: there is nothing to hide from who holds it, and any replica can read it. */
const MARK = "gwc1."

const sealed = (summary: string): string => MARK + Buffer.from(summary).toString("base64url")

/** What models read in place of a `compaction` item of the gateway. Items of providers are left to them. */
export const unsealed = (item: unknown): unknown => {
  if (!isCompacted(item)) return item
  const summary = Buffer.from(item.encrypted_content.slice(MARK.length), "base64url").toString()
  return { type: "message", role: "user", content: [{ type: "input_text", text: `${SUMMARY}\n\n${summary}` }] }
}

export const isCompacted = (item: unknown): item is { readonly encrypted_content: string } =>
  Predicate.hasProperty(item, "type") &&
  item.type === "compaction" &&
  Predicate.hasProperty(item, "encrypted_content") &&
  typeof item.encrypted_content === "string" &&
  item.encrypted_content.startsWith(MARK)

/** An earlier summary is part of the new one. */
const isSummary = ({ content }: JsonObject): boolean =>
  partsOf(content).some(({ text }) => typeof text === "string" && text.startsWith(SUMMARY))
