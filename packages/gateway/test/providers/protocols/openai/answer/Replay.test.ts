/** Every recorded chat exchange with OpenAI and with servers that speak like it, against the laws of such streams. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { totalTokens } from "../../../../../src/core/domain/Usage.ts"
import { OpenAiChat, OpenAiProtocol } from "../../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { chunkProblem, completionProblem } from "../../../../support/OpenAiSchema.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { callOf, replay, seeded } from "../Support.ts"

sayWhenMissing("replay of OpenAI chat recordings")

const OTHERS = [
  "azure.chat",
  "cerebras.chat",
  "crusoe.chat",
  "deepseek.chat",
  "groq.chat",
  "huggingface.chat",
  "mistral.chat",
  "ollama.chat",
  "openrouter.chat",
  "snowflake.chat",
  "together.chat",
  "zai.chat"
]

const native = loadFamily("openai.chat.completions")
const others = families(...OTHERS).flatMap((family) => loadFamily(family))

const textOf = ({ response }: Exchange): string => Buffer.from(response.bytes).toString("utf8")
const jsonOf = (text: string): JsonObject => JSON.parse(text) as JsonObject

const callFor = (exchange: Exchange, vendor: string) =>
  callOf(exchange.request.body ?? {}, { vendor, model: String(exchange.request.body?.["model"] ?? "model") })

/** The data of a recorded stream, read the slow way. */
const rawData = (exchange: Exchange): ReadonlyArray<string> =>
  textOf(exchange)
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())

const rawChunks = (exchange: Exchange): ReadonlyArray<JsonObject> =>
  rawData(exchange)
    .filter((data) => data !== "[DONE]")
    .map(jsonOf)

const choicesOf = (chunk: JsonObject) => (chunk["choices"] ?? []) as ReadonlyArray<JsonObject>

const usageIn = (chunk: JsonObject): unknown =>
  chunk["usage"] ?? (chunk["x_groq"] as JsonObject | undefined)?.["usage"] ?? undefined

/** What a client puts together from chunks: text, reasoning and tool calls, per choice. */
const assembled = (chunks: ReadonlyArray<JsonObject>): Map<unknown, Map<string, string>> => {
  const choices = new Map<unknown, Map<string, string>>()
  for (const chunk of chunks) {
    for (const choice of choicesOf(chunk)) {
      const said = choices.get(choice["index"]) ?? new Map<string, string>()
      choices.set(choice["index"], said)
      const add = (name: string, value: unknown) => said.set(name, (said.get(name) ?? "") + textIn(value))
      const { role: _, tool_calls: calls, ...delta } = (choice["delta"] ?? {}) as JsonObject
      for (const [name, value] of Object.entries(delta)) if (textIn(value) !== "") add(name, value)
      for (const call of (calls ?? []) as ReadonlyArray<JsonObject>) {
        const { arguments: given, name } = (call["function"] ?? {}) as JsonObject
        for (const value of [call["id"], name, given]) add(`call ${String(call["index"])}`, value)
      }
      if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") said.set("finish", "!")
    }
  }
  return choices
}

const textIn = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event ? [jsonOf(event.data)] : []))

const count = (events: ReadonlyArray<StreamEvent>, kind: StreamEvent["kind"]): number =>
  events.filter((event) => event.kind === kind).length

const streams = (exchanges: ReadonlyArray<Exchange>) => exchanges.filter(({ streamed }) => streamed)
const wholes = (exchanges: ReadonlyArray<Exchange>) =>
  exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)

describe.skipIf(!hasData)("recorded exchanges", () => {
  it("are there", () => {
    assert.strictEqual(native.length, 347)
    assert.isAtLeast(others.length, 220)
    assert.isAtLeast(streams(native).length, 79)
  })

  it("requests leave as they came", () => {
    for (const exchange of [...native, ...others]) {
      const body = exchange.request.body
      if (body === undefined) continue
      // OpenAI would refuse another vendor's marks, and ids of calls that are longer than 40 characters.
      const isForeign = /"cache_control"|"id":"[^"]{41,}"/.test(JSON.stringify(body))
      const call = callFor(exchange, isForeign ? "openai-compatible" : "openai")
      const wire = Result.getOrThrow(OpenAiChat.lower(call))
      const expected = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ""))
      if (call.request.stream) {
        expected["stream_options"] = { ...(expected["stream_options"] as JsonObject | undefined), include_usage: true }
      } else {
        delete expected["stream_options"]
      }
      const limit = expected["max_completion_tokens"] ?? expected["max_tokens"]
      const { max_completion_tokens: completion, max_tokens: plain, ...sent } = jsonOf(wire.body)
      delete expected["max_completion_tokens"]
      delete expected["max_tokens"]
      assert.deepStrictEqual(sent, { ...expected, model: call.deployment.model }, exchange.name)
      assert.strictEqual(completion ?? plain, limit, exchange.name)
      assert.isTrue(completion === undefined || plain === undefined, exchange.name)
    }
  })

  it("whole answers of OpenAI come out as they are, and valid", () => {
    for (const exchange of wholes(native)) {
      const lifted = Result.getOrThrow(OpenAiChat.lift(textOf(exchange), callFor(exchange, "openai")))
      assert.deepStrictEqual(lifted.body, jsonOf(textOf(exchange)), exchange.name)
      assert.isUndefined(completionProblem(lifted.body), exchange.name)
      const told = lifted.body["usage"] as JsonObject
      assert.strictEqual(totalTokens(lifted.usage!), told["total_tokens"], exchange.name)
    }
  })

  it("whole answers of others come out valid", () => {
    let lifted = 0
    for (const exchange of wholes(others)) {
      const text = textOf(exchange)
      const result = OpenAiChat.lift(text, callFor(exchange, "openai-compatible"))
      if (Result.isFailure(result)) {
        assert.property(jsonOf(text), "error", exchange.name)
        assert.notStrictEqual(result.failure.class, "bad_request", exchange.name)
        continue
      }
      lifted++
      const problem = completionProblem(result.success.body)
      assert.isUndefined(problem, exchange.name)
      const told = (jsonOf(text)["usage"] ?? {}) as { total_tokens?: number }
      if (told.total_tokens) assert.strictEqual(totalTokens(result.success.usage!), told.total_tokens, exchange.name)
    }
    assert.isAtLeast(lifted, 140)
  })

  it("streams of OpenAI keep the laws, chunk for chunk", () => {
    for (const exchange of streams(native)) {
      const call = callFor(exchange, "openai")
      const events = replay([exchange.response.bytes], call)
      const raw = rawChunks(exchange)
      const usages = raw.filter(({ usage }) => usage !== undefined && usage !== null)
      // The usage is told last, also where a moderation chunk came after it.
      const silent = call.request.includeUsage ? { usage: null } : {}
      const rest = raw
        .filter((chunk) => !usages.includes(chunk))
        .map(({ usage: _, ...chunk }) => ({ ...chunk, ...silent }))
      const expected = [...rest, ...usages]
      assert.deepStrictEqual(dataIn(events), expected, exchange.name)
      for (const chunk of dataIn(events)) assert.isUndefined(chunkProblem(chunk), exchange.name)
      assert.strictEqual(count(events, "usage"), usages.length, exchange.name)
      assert.strictEqual(count(events, "done"), 1, exchange.name)
      assert.strictEqual(events.at(-1)?.kind, "done", exchange.name)
      if (usages.length > 0) assert.strictEqual(events.at(-2)?.kind, "usage", exchange.name)
      assert.strictEqual(count(events, "malformed") + count(events, "failed"), 0, exchange.name)
      const finishes = raw.flatMap(choicesOf).filter((choice) => choice["finish_reason"] !== null)
      assert.strictEqual(count(events, "finish"), finishes.length, exchange.name)
      assert.isAtLeast(count(events, "content"), 1, exchange.name)
    }
  })

  it("streams of others lose nothing, gain a role, tell usage once and last", () => {
    for (const exchange of streams(others)) {
      const events = replay([exchange.response.bytes], callFor(exchange, "openai-compatible"))
      const raw = rawChunks(exchange)
      const failed = raw.some((chunk) => chunk["error"] !== undefined)
      assert.strictEqual(count(events, "failed"), failed ? 1 : 0, exchange.name)
      for (const chunk of dataIn(events)) {
        const problem = chunkProblem(chunk)
        assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(chunk)}`)
      }
      if (failed) continue
      // Parts of content are joined: compared where it was text.
      if (!textOf(exchange).includes('"content":[')) {
        const ours = assembled(dataIn(events))
        // The missing sign of an end is added.
        const isFinished = raw.flatMap(choicesOf).some((choice) => typeof choice["finish_reason"] === "string")
        if (!isFinished) for (const choice of ours.values()) assert.isTrue(choice.delete("finish"), exchange.name)
        assert.deepStrictEqual(ours, assembled(raw), exchange.name)
      }
      const first = dataIn(events).find((chunk) => choicesOf(chunk).length > 0)!
      assert.strictEqual((choicesOf(first)[0]!["delta"] as JsonObject)["role"], "assistant", exchange.name)
      const told = raw.some((chunk) => usageIn(chunk) !== undefined)
      assert.strictEqual(count(events, "usage"), told ? 1 : 0, exchange.name)
      const withUsage = dataIn(events).filter(({ usage }) => usage !== undefined && usage !== null)
      assert.strictEqual(withUsage.length, told ? 1 : 0, exchange.name)
      if (told) assert.strictEqual(events.findLast(({ kind }) => kind !== "done")?.kind, "usage", exchange.name)
      const ended = rawData(exchange).includes("[DONE]")
      assert.strictEqual(count(events, "done"), ended ? 1 : 0, exchange.name)
    }
  })

  it("how a stream is cut into pieces, line ends and comments change nothing", () => {
    const random = seeded(7)
    for (const exchange of [...streams(native), ...streams(others)]) {
      const call = callFor(exchange, exchange.name.includes("openai") ? "openai" : "openai-compatible")
      const expected = shown(replay([exchange.response.bytes], call))
      const text = textOf(exchange)
      for (const variant of [
        text,
        text.replace(/\r?\n/g, "\r\n"),
        text.replace(/\r?\n/g, "\r"),
        text.replace(/\n\n/g, () => (random() < 0.3 ? "\n\n: keep-alive\n\n" : "\n\n"))
      ]) {
        assert.deepStrictEqual(shown(replay(pieces(Buffer.from(variant), random), call)), expected, exchange.name)
      }
    }
  })

  it("a cut stream never shows an end or a finish that did not come", () => {
    const random = seeded(8)
    for (const exchange of [...streams(native), ...streams(others)]) {
      const call = callFor(exchange, "openai")
      const bytes = Buffer.from(exchange.response.bytes)
      for (const cut of cuts(bytes, random)) {
        const prefix = bytes.subarray(0, cut)
        const events = replay([prefix], call)
        assert.strictEqual(count(events, "done"), prefix.includes("[DONE]") ? 1 : 0, `${exchange.name} at ${cut}`)
        const came = prefix.toString("utf8").match(/"finish_reason":\s*"[a-z_]+"/g)?.length ?? 0
        // Behind `[DONE]` the missing reason is added.
        const most = came === 0 && prefix.includes("[DONE]") ? 1 : came
        assert.isAtMost(count(events, "finish"), most, `${exchange.name} at ${cut}`)
        for (const event of events) if ("data" in event) jsonOf(event.data)
      }
    }
  }, 300_000)

  it("recorded refusals are understood", () => {
    const seen = new Map<string, number>()
    for (const exchange of [...native, ...others]) {
      const { headers, status } = exchange.response
      if (status === 200) continue
      const failure = OpenAiProtocol.failure({ status, headers, text: textOf(exchange) })
      assert.isNotEmpty(failure.message, exchange.name)
      const key = `${status} ${failure.class}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    assert.deepStrictEqual(Object.fromEntries([...seen].sort()), {
      "400 bad_request": 8,
      "401 auth": 1,
      "404 model_not_found": 6,
      "429 rate_limited": 1
    })
  })
})

/** Comparable: ids made up for nameless answers differ from call to call. */
const shown = (events: ReadonlyArray<StreamEvent>) =>
  events.map((event) => JSON.stringify(event).replace(/chatcmpl-[a-z0-9]+-[a-z0-9]+/g, "made-up"))

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

/** After each of up to 40 frames, and at 20 places within. */
const cuts = (bytes: Buffer, random: () => number): ReadonlyArray<number> => {
  const ends = []
  for (let at = bytes.indexOf("\n\n"); at >= 0; at = bytes.indexOf("\n\n", at + 2)) ends.push(at + 2)
  const step = Math.max(1, Math.floor(ends.length / 40))
  const inside = Array.from({ length: 20 }, () => Math.floor(random() * bytes.length))
  return [...ends.filter((_, index) => index % step === 0 || index > ends.length - 5), ...inside]
}
