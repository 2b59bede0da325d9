/** Images that chat models draw, at `/v1/responses`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion, event, type Reply } from "../../support/Upstream.ts"
import { candidate, moving } from "../histories/Moving.ts"

const PNG = "iVBORw0KGgo="
const drawn = candidate({ text: "Here:" }, { inlineData: { mimeType: "image/png", data: PNG } })
const image = { type: "image_url", index: 0, image_url: { url: `data:image/png;base64,${PNG}` } }
const message = { role: "assistant", content: "Here:", images: [image] }
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })

const providers: ReadonlyArray<
  readonly [name: string, provider: string, model: string, whole: Reply, streamed: Reply]
> = [
  [
    "Gemini",
    "vendor: google-ai-studio",
    "gemini-2.5-flash-image",
    { body: drawn },
    {
      body: [
        event({ candidates: [{ content: { role: "model", parts: [{ text: "Here:" }] }, index: 0 }] }),
        event(candidate({ inlineData: { mimeType: "image/png", data: PNG } }))
      ]
    }
  ],
  [
    "a chat server",
    "protocol: openai-chat",
    "m",
    { body: completion("", { choices: [{ index: 0, message, finish_reason: "stop" }] }) },
    {
      body: [
        chunk({ role: "assistant", content: "Here:" }),
        chunk({ images: [image] }),
        chunk({}, "stop"),
        "data: [DONE]\n\n"
      ]
    }
  ]
]

const types = (text: string) => [...text.matchAll(/^event: response\.(.*)$/gm)].map(([, type]) => type)

describe("an image that a chat model drew", () => {
  for (const [name, provider, model, whole, streamed] of providers) {
    it.live(`is an item of a complete response of ${name}, and comes back where the provider takes it`, () =>
      Effect.gen(function* () {
        const { asked, responses } = yield* moving(provider, model, () => whole)
        const first = yield* responses({ input: "Draw" })
        const [said, item] = first.json.output
        assert.strictEqual(said.content[0].text, "Here:")
        assert.deepInclude(item, {
          type: "image_generation_call",
          status: "completed",
          output_format: "png",
          result: PNG
        })
        const next = yield* responses({ input: "Again", previous_response_id: first.json.id })
        assert.strictEqual(next.status, 200)
        const isTaken = name === "Gemini"
        const dropped = isTaken ? undefined : "input.image_generation_call"
        assert.strictEqual(next.headers["x-gateway-dropped-params"], dropped)
        assert.strictEqual(JSON.stringify(asked[1]?.body).includes(PNG), isTaken)
      }).pipe(Effect.scoped)
    )

    it.live(`is an item of a streamed response of ${name}`, () =>
      Effect.gen(function* () {
        const { responses } = yield* moving(provider, model, () => streamed)
        const { text } = yield* responses({ input: "Draw", stream: true })
        assert.deepStrictEqual(types(text).slice(-5), [
          "output_item.done",
          "output_item.added",
          "image_generation_call.completed",
          "output_item.done",
          "completed"
        ])
        assert.lengthOf(text.match(new RegExp(`"result":"${PNG}"`, "g")) ?? [], 2)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is a text where a server gives its address alone", () =>
    Effect.gen(function* () {
      const url = "https://images.example.com/1.png"
      const { responses } = yield* moving("protocol: openai-chat", "m", () => ({
        body: completion("", {
          choices: [
            {
              index: 0,
              message: { role: "assistant", content: "", images: [{ image_url: { url } }] },
              finish_reason: "stop"
            }
          ]
        })
      }))
      const { json } = yield* responses({ input: "Draw" })
      assert.strictEqual(json.output[0].content[0].text, url)
    }).pipe(Effect.scoped)
  )
})
