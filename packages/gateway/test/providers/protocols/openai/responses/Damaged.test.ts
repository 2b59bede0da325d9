/** Real responses, damaged: what comes of them is an answer or a failure, with sane numbers, and never an exception. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { noUsage, type Usage } from "../../../../../src/core/domain/Usage.ts"
import { ProviderFailure } from "../../../../../src/core/domain/Failures.ts"
import { producedIn } from "../../../../../src/core/operations/responses/ProducedItems.ts"
import { ResponsesRelay } from "../../../../../src/core/operations/responses/Responses.ts"
import type { RoutingMetadata } from "../../../../../src/core/operations/RoutingMetadata.ts"
import type { Dialect, Protocol } from "../../../../../src/core/pool/Protocol.ts"
import { dialectFor } from "../../../../../src/providers/bridges/Bridge.ts"
import { chatToResponses } from "../../../../../src/providers/bridges/ChatToResponses.ts"
import { SseDecoder } from "../../../../../src/providers/framing/Sse.ts"
import { OpenAiResponses } from "../../../../../src/providers/protocols/openai/responses/OpenAiResponses.ts"
import { response, responseEvents } from "../../../../acceptance/responses/Wire.ts"
import { Chance, damagedBytes, damagedJson, inPieces } from "../../../../support/Mutate.ts"
import { loadFamily } from "../../../../support/Transcripts.ts"
import { callOf, deployment } from "../Support.ts"

const ROUNDS = 600
const MOST_BYTES = 32 * 1024

const recorded = loadFamily("openai.responses")
  .filter(({ response: { bytes, status } }) => status === 200 && bytes.length < MOST_BYTES)
  .slice(0, 150)
const textsOf = (streamed: boolean) =>
  recorded.filter((one) => one.streamed === streamed).map((one) => Buffer.from(one.response.bytes).toString())
const whole = [JSON.stringify(response("Hello")), ...textsOf(false)]
const streams = [responseEvents("Hel", "lo").join(""), ...textsOf(true)]

const responsesOnly: Protocol["speaks"] = new Map([["responses", OpenAiResponses]])
const asChat = dialectFor(responsesOnly, [chatToResponses], "chat")!

const report: RoutingMetadata = {
  requestId: "req_1",
  deployment: deployment(),
  bucket: "none",
  score: 0,
  retries: 0,
  cost: 0,
  isPriced: true,
  dropped: []
}

const sane = (usage: Usage | undefined): void => {
  for (const [name, count] of Object.entries(usage ?? {})) {
    assert.isTrue(Number.isSafeInteger(count) && count >= 0, `${name}: ${count}`)
  }
}

const call = { ...callOf({ model: "m", input: "Hi", stream: true }), operation: "responses" }

const damaged = (text: string, chance: Chance): string =>
  chance.is(0.7) ? damagedJson(JSON.parse(text), chance) : damagedBytes(Buffer.from(text), chance).toString()

/** Some events damaged as JSON, or the whole as bytes. */
const damagedStream = (text: string, chance: Chance): Buffer => {
  if (chance.is(0.3)) return damagedBytes(Buffer.from(text), chance)
  const lines = text.split("\n").map((line) => {
    if (!line.startsWith("data: {") || !chance.is(0.15)) return line
    return `data: ${damagedJson(JSON.parse(line.slice(6)), chance)}`
  })
  return Buffer.from(lines.join("\n"))
}

describe("damaged responses", () => {
  it("are answers or failures when they are whole", () => {
    let answers = 0
    for (let round = 0; round < ROUNDS; round++) {
      const chance = new Chance(round)
      const text = damaged(chance.pick(whole), chance)
      for (const dialect of [OpenAiResponses, asChat]) {
        const lifted = dialect.lift(text, call)
        if (Result.isFailure(lifted)) assert.instanceOf(lifted.failure, ProviderFailure)
        else {
          answers++
          sane(lifted.success.usage)
          if (dialect === OpenAiResponses) assert.isString(producedIn(lifted.success.body).text)
        }
      }
    }
    assert.isAbove(answers, ROUNDS / 4)
  })

  it("are framed events when they are streamed, however they are split", () => {
    const play = (dialect: Dialect, round: number) => {
      const chance = new Chance(round)
      const bytes = damagedStream(chance.pick(streams), chance)
      const decoder = new SseDecoder()
      const lifter = dialect.stream(call)
      const events = inPieces(bytes, chance).flatMap((piece) => decoder.push(piece).flatMap((one) => lifter.push(one)))
      return [...events, ...decoder.end().flatMap((one) => lifter.push(one)), ...lifter.end()]
    }
    for (let round = 0; round < ROUNDS; round++) {
      play(asChat, round)
      const relay = new ResponsesRelay()
      let shown = ""
      for (const event of play(OpenAiResponses, round)) shown += relay.push([event])
      relay.close()
      sane(relay.usage)
      relay.produced.all()
      shown +=
        relay.failure === undefined
          ? relay.ending(report, relay.usage ?? noUsage)
          : relay.broken({ code: null, message: "no", param: null })
      for (const frame of shown.split("\n\n").slice(0, -1)) {
        const [, type, data = ""] =
          /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(frame) ?? assert.fail(`round ${round}: ${frame}`)
        assert.strictEqual(JSON.stringify(JSON.parse(data).type), `"${type}"`, `round ${round}`)
      }
    }
  })
})
