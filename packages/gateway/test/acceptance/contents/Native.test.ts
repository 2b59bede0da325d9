/** Google's own client, unchanged, before AI Studio. */
import { type Content, FinishReason, HarmBlockThreshold, HarmCategory, MediaResolution, Modality } from "@google/genai"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { beforeStudio, events, generated, refusal, STUDIO_KEY } from "../google/Google.ts"
import { resolved } from "../Promised.ts"
import { allOf, genai } from "./Genai.ts"

const MODEL = "gemini-3-flash-preview"
const model = `gemini/${MODEL}`
const signature = "c2lnbmF0dXJl"

const textsOf = (answers: ReadonlyArray<{ readonly text: string | undefined }>) =>
  answers.map(({ text }) => text ?? "").join("")

describe("generateContent before AI Studio", () => {
  it.live("goes on with all that is Google's alone, and comes back as it is", () =>
    Effect.gen(function* () {
      const grounding = {
        groundingMetadata: { webSearchQueries: ["rome"], searchEntryPoint: { renderedContent: "x" } }
      }
      const { asked, ledger, secret, url } = yield* beforeStudio([MODEL], () => {
        const body = generated([{ text: "Sun", thoughtSignature: signature }], "STOP")
        return { body: { ...body, candidates: [{ ...body.candidates[0], ...grounding }] } }
      })
      const safetySettings = [
        { category: HarmCategory.HARM_CATEGORY_HARASSMENT, threshold: HarmBlockThreshold.BLOCK_NONE }
      ]
      const history: ReadonlyArray<Content> = [
        {
          role: "user",
          parts: [
            { text: "Look" },
            { fileData: { fileUri: "https://youtu.be/x" }, videoMetadata: { fps: 2, startOffset: "1s" } }
          ]
        },
        {
          role: "model",
          parts: [
            { text: "A", thoughtSignature: signature },
            { executableCode: { code: "1+1" } },
            { codeExecutionResult: { output: "2" } },
            { text: "B" },
            { functionCall: { id: "f1", name: "weather", args: { city: "Rome" } }, thoughtSignature: "c2ln" }
          ]
        },
        {
          role: "user",
          parts: [{ functionResponse: { id: "f1", name: "weather", response: { output: "Sun", error: null } } }]
        }
      ]
      const answer = yield* resolved(() =>
        genai(url, secret).models.generateContent({
          model,
          contents: [...history],
          config: {
            systemInstruction: "Be brief",
            maxOutputTokens: 100,
            topK: 5,
            mediaResolution: MediaResolution.MEDIA_RESOLUTION_LOW,
            responseModalities: [Modality.AUDIO],
            speechConfig: { languageCode: "it" },
            thinkingConfig: { thinkingBudget: -1, includeThoughts: false },
            safetySettings,
            tools: [
              { functionDeclarations: [{ name: "weather", response: { type: "STRING" as never } }] },
              { googleSearch: {} }
            ],
            toolConfig: { retrievalConfig: { languageCode: "it" } }
          }
        })
      )
      assert.deepInclude(answer.candidates?.[0], { finishReason: FinishReason.STOP, ...grounding })
      assert.deepInclude(answer.candidates?.[0]?.content?.parts?.[0], { text: "Sun", thoughtSignature: signature })
      assert.deepInclude(answer.usageMetadata, { promptTokenCount: 100, thoughtsTokenCount: 30 })
      assert.strictEqual(answer.sdkHttpResponse?.headers?.["x-gateway-dropped-params"], undefined)
      assert.strictEqual(asked[0]?.path, `/v1/models/${MODEL}:generateContent`)
      assert.strictEqual(asked[0]?.headers["x-goog-api-key"], STUDIO_KEY)
      assert.deepStrictEqual(asked[0]?.body, {
        contents: history,
        systemInstruction: { parts: [{ text: "Be brief" }] },
        tools: [{ functionDeclarations: [{ name: "weather", response: { type: "STRING" } }] }, { googleSearch: {} }],
        toolConfig: { retrievalConfig: { languageCode: "it" } },
        generationConfig: {
          maxOutputTokens: 100,
          topK: 5,
          mediaResolution: "MEDIA_RESOLUTION_LOW",
          responseModalities: ["AUDIO"],
          speechConfig: { languageCode: "it" },
          thinkingConfig: { includeThoughts: false }
        },
        safetySettings
      })
      const [row] = yield* ledger
      assert.strictEqual(row?.cost, 100 * 500 + 50 * 3_000 + 14_000_000)
    })
  )

  it.live("streams events as they come, and signs the calls of other models", () =>
    Effect.gen(function* () {
      const { asked, ledger, secret, url } = yield* beforeStudio([MODEL], () =>
        events(
          generated([{ text: "Hm.", thought: true }]),
          generated([{ text: "He" }]),
          generated(
            [{ text: "llo" }, { functionCall: { name: "weather", args: {} }, thoughtSignature: signature }],
            "STOP"
          )
        )
      )
      const sealed = Buffer.from('gw1.dXA.Y2FsbA.{"a":1}').toString("base64")
      const contents: Array<Content> = [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ functionCall: { name: "weather", args: {} }, thoughtSignature: sealed }] },
        { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "Sun" } } }] }
      ]
      const answers = yield* resolved(() => allOf(genai(url, secret).models.generateContentStream({ model, contents })))
      assert.strictEqual(textsOf(answers), "Hello")
      const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      assert.deepInclude(parts[0], { text: "Hm.", thought: true })
      assert.deepInclude(parts.at(-1), { thoughtSignature: signature })
      const [, turn] = asked[0]!.body.contents
      assert.strictEqual(turn.parts[0].thoughtSignature, "skip_thought_signature_validator")
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [100 * 500 + 50 * 3_000]
      )
    })
  )

  it.live(
    "never ends a stream that lacks its finish reason, and moves to another deployment before the first event",
    () =>
      Effect.gen(function* () {
        const { secret, url } = yield* beforeStudio([MODEL], (_, number) =>
          number === 0 ? events(generated([{ text: "He" }])) : refusal(503, "UNAVAILABLE", "overloaded")
        )
        const body = { contents: [{ parts: [{ text: "Hi" }] }] }
        const cut = yield* call(url, {
          path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
          key: secret,
          body
        })
        assert.isTrue(cut.isBroken)
        assert.match(cut.text, /data: \{"error":\{"code":502,.*"status":"UNAVAILABLE"/)
        assert.notInclude(cut.text, "finishReason")
        const moved = yield* resolved(() =>
          genai(url, secret).models.generateContent({ model: "spared", contents: "Hi" })
        )
        assert.strictEqual(moved.text, "spare")
        assert.strictEqual(moved.sdkHttpResponse?.headers?.["x-gateway-retries"], "1")
      })
  )

  it.live("lets Google count", () =>
    Effect.gen(function* () {
      const { asked, secret, url } = yield* beforeStudio([MODEL], () => ({ body: { totalTokens: 7 } }))
      const { totalTokens } = yield* resolved(() => genai(url, secret).models.countTokens({ model, contents: "Hi" }))
      assert.strictEqual(totalTokens, 7)
      assert.strictEqual(asked[0]?.path, `/v1/models/${MODEL}:countTokens`)
      assert.deepStrictEqual(asked[0]?.body, {
        generateContentRequest: { model: `models/${MODEL}`, contents: [{ role: "user", parts: [{ text: "Hi" }] }] }
      })
    })
  )
})
