/** What guardrails do to requests and responses of Google's API, at its own models and at others. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { event } from "../../support/Upstream.ts"
import { events, generated } from "../google/Google.ts"
import { resolved } from "../Promised.ts"
import { allOf, before } from "./Genai.ts"

const EMAIL = "bob@example.com"
const KEY = `ghp_${"aB3".repeat(12)}`
const POLICY = `
guardrails:
  checks: { secrets: { kind: secrets, action: deny }, pii: { kind: pii, action: mask } }
  policies: { strict: { request: [secrets, pii], response: [secrets, pii] } }
  always: [strict]
`
const MASKED = /^mail <EMAIL_[a-z2-7]{8}> now$/

const chunk = (delta: object, finish: string | null = null) =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }]
  })
const streamed = (...deltas: ReadonlyArray<object>) => ({
  headers: { "content-type": "text/event-stream" },
  body: [...deltas.map((delta) => chunk(delta)), chunk({}, "stop"), "data: [DONE]\n\n"]
})
const calling = { index: 0, id: "c1", type: "function", function: { name: "send", arguments: `{"to":"${EMAIL}"}` } }

const replies = {
  gemini: {
    masked: events(
      generated([{ text: "Hm, bob", thought: true }]),
      generated([{ text: "mail bob" }]),
      generated([{ text: "@example.com now" }, { functionCall: { name: "send", args: { to: EMAIL } } }], "STOP")
    ),
    denied: events(
      generated([{ text: "the key is " }]),
      generated([{ text: KEY.slice(0, 9) }]),
      generated([{ text: `${KEY.slice(9)} after` }], "STOP")
    )
  },
  "openai-chat": {
    masked: streamed({ content: "mail bob" }, { content: "@example.com now" }, { tool_calls: [calling] }),
    denied: streamed({ content: "the key is " }, { content: KEY.slice(0, 9) }, { content: `${KEY.slice(9)} after` })
  }
}

describe("guardrails of generateContent", () => {
  for (const protocol of ["gemini", "openai-chat"] as const) {
    const { denied, masked } = replies[protocol]

    it.live(`mask the request, and the texts and calls of a stream of ${protocol}`, () =>
      Effect.gen(function* () {
        const { asked, client } = yield* before(protocol, () => masked, POLICY)
        const contents = `I am ${EMAIL}`
        const answers = yield* resolved(() => allOf(client.models.generateContentStream({ model: "up/m", contents })))
        assert.match(asked[0]!.text, /I am <EMAIL_[a-z2-7]{8}>/)
        const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
        assert.match(parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""), MASKED)
        const [call] = parts.flatMap(({ functionCall }) => functionCall ?? [])
        assert.match(String(call?.args?.["to"]), /^<EMAIL_[a-z2-7]{8}>$/)
      })
    )

    it.live(`end a stream of ${protocol} that is denied as one that a filter ended`, () =>
      Effect.gen(function* () {
        const { client } = yield* before(protocol, () => denied, POLICY)
        const answers = yield* resolved(() =>
          allOf(client.models.generateContentStream({ model: "up/m", contents: "Hi" }))
        )
        assert.strictEqual(answers.map(({ text }) => text ?? "").join(""), "the key is ")
        assert.strictEqual(answers.at(-1)?.candidates?.[0]?.finishReason, "SAFETY")
        assert.notInclude(JSON.stringify(answers), KEY.slice(4, 12))
      })
    )
  }
})
