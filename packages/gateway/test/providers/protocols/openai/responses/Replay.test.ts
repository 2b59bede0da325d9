/** Every recorded exchange with a provider that has Responses, against the laws of responses and their streams. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { totalTokens } from "../../../../../src/core/domain/Usage.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { parseResponses } from "../../../../../src/core/operations/responses/ParseResponses.ts"
import type { UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { SseDecoder } from "../../../../../src/providers/framing/Sse.ts"
import { OpenAiProtocol } from "../../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { OpenAiResponses } from "../../../../../src/providers/protocols/openai/responses/OpenAiResponses.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { type Exchange, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { deployment, NOW, seeded } from "../Support.ts"

sayWhenMissing("replay of recorded responses")

const native = loadFamily("openai.responses")
const others = [
  ...loadFamily("azure.responses"),
  ...loadFamily("openrouter.v1_responses"),
  ...loadFamily("deepseek.responses"),
  ...loadFamily("bedrock-mantle.responses")
]
const all = [...native, ...others]

const textOf = ({ response }: Exchange): string => Buffer.from(response.bytes).toString("utf8")
const jsonOf = (text: string): JsonObject => JSON.parse(text) as JsonObject
const bodyOf = (exchange: Exchange): JsonObject => (exchange.request.body ?? {}) as JsonObject

/** What the gateway refuses at the door, and so never sends. */
const isRefused = (exchange: Exchange): boolean =>
  Result.isFailure(parseResponses(bodyOf(exchange), 100)) || exchange.request.body === undefined

const callFor = (exchange: Exchange): UpstreamCall => {
  const { background: _, conversation: __, ...body } = bodyOf(exchange)
  const asked = parseResponses(body, textOf(exchange).length)
  const parsed = Result.isFailure(asked) ? parseResponses({ input: "Hi" }, 100) : asked
  const model = String(body["model"] ?? "m")
  return {
    operation: "responses",
    request: Result.getOrThrow(parsed),
    deployment: deployment({ vendor: native.includes(exchange) ? "openai" : "openai-compatible", model }),
    maxOutput: undefined,
    strict: false,
    now: NOW
  }
}

const replay = (chunks: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = OpenAiResponses.stream(call)
  const out: Array<StreamEvent> = []
  for (const chunk of chunks) for (const event of decoder.push(chunk)) out.push(...lifter.push(event))
  for (const event of decoder.end()) out.push(...lifter.push(event))
  return [...out, ...lifter.end()]
}

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event && event.data !== "" ? [jsonOf(event.data)] : []))

const count = (events: ReadonlyArray<StreamEvent>, kind: StreamEvent["kind"]): number =>
  events.filter((event) => event.kind === kind).length

const rawEvents = (exchange: Exchange): ReadonlyArray<JsonObject> =>
  textOf(exchange)
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => jsonOf(line.slice(5)))

/** Without what the gateway makes its own. */
const anonymous = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, one: unknown) =>
      ["id", "item_id", "encrypted_content", "sequence_number", "store", "previous_response_id"].includes(name)
        ? undefined
        : one
    )
  )

/** What is wrong with what became of `told`, unless the vendor's own description refuses that too. */
const newProblem = (schema: string, value: unknown, told: unknown): string | undefined => {
  const problem = problemWith(schema, value)
  if (problem === undefined || problemWith(schema, told) !== undefined) return undefined
  return `${problem} ${JSON.stringify(value).slice(0, 500)}`
}

const streams = all.filter(({ streamed }) => streamed)
const wholes = all.filter(({ response, streamed }) => response.status === 200 && !streamed)

describe.skipIf(!hasData)("recorded responses", () => {
  it("are there", () => {
    assert.strictEqual(native.length, 219)
    assert.strictEqual(others.length, 18)
    assert.isAtLeast(streams.length, 46)
  })

  it("requests leave as they came, but for what the gateway keeps to itself", () => {
    let sent = 0
    for (const exchange of all.filter((one) => !isRefused(one))) {
      const call = callFor(exchange)
      const wire = Result.getOrThrow(OpenAiResponses.lower(call))
      const expected = Object.fromEntries(
        Object.entries(bodyOf(exchange)).filter(([, value]) => value !== null && value !== "")
      )
      // Kept by the gateway.
      for (const name of ["previous_response_id", "conversation", "background"]) delete expected[name]
      expected["store"] = false
      expected["model"] = call.deployment.model
      const { include: included = [], ...rest } = jsonOf(wire.body)
      const asked = (expected["include"] ?? []) as ReadonlyArray<string>
      delete expected["include"]
      assert.deepStrictEqual(rest, expected, exchange.name)
      // Thoughts have to come along, as nobody keeps them there.
      const needed = native.includes(exchange) ? [...new Set([...asked, "reasoning.encrypted_content"])] : asked
      assert.sameMembers([...(included as ReadonlyArray<string>)], [...needed], exchange.name)
      assert.deepStrictEqual(wire.dropped, [], exchange.name)
      sent++
    }
    assert.isAtLeast(sent, 220)
  })

  it("whole answers come out as they are but for ids, and valid", () => {
    for (const exchange of wholes) {
      const told = jsonOf(textOf(exchange))
      const lifted = OpenAiResponses.lift(textOf(exchange), callFor(exchange))
      if (told["status"] === "failed" || told["status"] === "queued" || told["status"] === "in_progress") continue
      const { body, usage } = Result.getOrThrowWith(
        lifted,
        (failure) => new Error(`${exchange.name} ${failure.message}`)
      )
      assert.isUndefined(newProblem("Response", body, told), exchange.name)
      assert.match(String(body["id"]), /^resp_gw/)
      const said = anonymous(body) as JsonObject
      for (const [name, value] of Object.entries(anonymous(told) as JsonObject)) {
        assert.deepStrictEqual(said[name], value, `${exchange.name} ${name}`)
      }
      const { total_tokens: total } = (told["usage"] ?? {}) as { readonly total_tokens?: number }
      if (total !== undefined && total > 0) assert.isAtLeast(totalTokens(usage!), total, exchange.name)
    }
  })

  it("streams keep the laws, event for event", () => {
    for (const exchange of streams) {
      const events = replay([exchange.response.bytes], callFor(exchange))
      const raw = rawEvents(exchange).filter(({ type }) => String(type).startsWith("response."))
      const failed = raw.some(({ type }) => type === "response.failed" || type === "error")
      assert.strictEqual(count(events, "failed"), failed ? 1 : 0, exchange.name)
      const data = dataIn(events)
      for (const [index, event] of data.entries()) {
        assert.isUndefined(newProblem("ResponseStreamEvent", event, raw[index]), exchange.name)
      }
      assert.deepStrictEqual(
        data.map((event) => event["sequence_number"]),
        data.map((_, index) => index),
        exchange.name
      )
      if (failed) continue
      assert.deepStrictEqual(
        data.map(({ type }) => type),
        raw.map(({ type }) => type),
        exchange.name
      )
      for (const [index, event] of data.entries()) {
        if (event["response"] !== undefined) continue
        assert.deepStrictEqual(anonymous(event), anonymous(raw[index]), exchange.name)
      }
      const ended = raw.some(({ type }) => type === "response.completed" || type === "response.incomplete")
      assert.strictEqual(count(events, "finish"), ended ? 1 : 0, exchange.name)
      assert.strictEqual(count(events, "done"), ended ? 1 : 0, exchange.name)
      assert.strictEqual(count(events, "malformed"), 0, exchange.name)
    }
  })

  it("an item has one id through its stream, and the last event has it too", () => {
    for (const exchange of streams) {
      const data = dataIn(replay([exchange.response.bytes], callFor(exchange)))
      const ids = new Map<unknown, Set<unknown>>()
      for (const { item, item_id: id, output_index: place } of data) {
        if (place === undefined) continue
        const seen = ids.get(place) ?? new Set()
        ids.set(place, seen)
        if (id !== undefined) seen.add(id)
        if (item !== undefined) seen.add((item as JsonObject)["id"])
      }
      for (const [place, seen] of ids) assert.lengthOf([...seen], 1, `${exchange.name} ${String(place)}`)
      const last = data.at(-1)?.["response"] as JsonObject | undefined
      for (const item of (last?.["output"] ?? []) as ReadonlyArray<JsonObject>) {
        assert.match(String(item["id"]), /_gw[0-9a-f]{32}$/)
      }
      const responses = new Set(
        data.flatMap(({ response }) => (response === undefined ? [] : [(response as JsonObject)["id"]]))
      )
      assert.isAtMost(responses.size, 1, exchange.name)
    }
  })

  it("how a stream is cut into pieces, line ends and comments change nothing", () => {
    const random = seeded(7)
    for (const exchange of streams) {
      const call = callFor(exchange)
      const expected = shown(replay([exchange.response.bytes], call))
      const text = textOf(exchange)
      for (const variant of [text, text.replace(/\r?\n/g, "\r\n"), text.replace(/\n\n/g, "\n\n: keep-alive\n\n")]) {
        assert.deepStrictEqual(shown(replay(pieces(Buffer.from(variant), random), call)), expected, exchange.name)
      }
    }
  })

  it("a stream that is cut at any frame never shows an end that did not come", () => {
    for (const exchange of streams) {
      const call = callFor(exchange)
      const bytes = Buffer.from(exchange.response.bytes)
      const ends = []
      for (let at = bytes.indexOf("\n\n"); at >= 0; at = bytes.indexOf("\n\n", at + 2)) ends.push(at + 2)
      const step = Math.max(1, Math.floor(ends.length / 40))
      for (const cut of ends.filter((_, index) => index % step === 0 || index > ends.length - 5)) {
        const prefix = bytes.subarray(0, cut)
        const events = replay([prefix], call)
        const came = /"type":\s*"response\.(?:completed|incomplete)"/.test(prefix.toString("utf8"))
        assert.strictEqual(count(events, "finish"), came ? 1 : 0, `${exchange.name} at ${cut}`)
        assert.strictEqual(count(events, "done"), came ? 1 : 0, `${exchange.name} at ${cut}`)
      }
    }
  }, 300_000)

  it("a whole answer makes a stream that ends with it", () => {
    for (const exchange of wholes) {
      const call = callFor(exchange)
      const lifted = OpenAiResponses.lift(textOf(exchange), call)
      if (Result.isFailure(lifted) || problemWith("Response", lifted.success.body) !== undefined) continue
      const events = OpenAiResponses.replay!(lifted.success, call)
      const data = dataIn(events)
      for (const event of data) {
        assert.isUndefined(problemWith("ResponseStreamEvent", event), exchange.name)
      }
      assert.deepStrictEqual(data.at(-1)?.["response"], lifted.success.body, exchange.name)
    }
  })

  it("recorded refusals are understood", () => {
    const seen = new Map<string, number>()
    for (const exchange of all) {
      const { headers, status } = exchange.response
      if (status === 200) continue
      const failure = OpenAiProtocol.failure({ status, headers, text: textOf(exchange) })
      const key = `${status} ${failure.class}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    assert.deepStrictEqual(Object.fromEntries(seen), { "400 bad_request": 3, "400 model_not_found": 1 })
  })
})

/** Comparable: own ids differ from call to call. */
const shown = (events: ReadonlyArray<StreamEvent>) =>
  events.map((event) => JSON.stringify(event).replace(/_gw[0-9a-f]{32}/g, ""))

const pieces = (bytes: Uint8Array, random: () => number): ReadonlyArray<Uint8Array> => {
  const most = [3, 50, 1000][Math.floor(random() * 3)]!
  const out = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * most)
    out.push(bytes.subarray(at, at + size))
    at += size
  }
  return out
}
