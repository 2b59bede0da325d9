import { assert, describe, it } from "@effect/vitest"
import {
  embedMany,
  generateImage,
  generateObject,
  generateSpeech,
  generateText,
  jsonSchema,
  rerank,
  stepCountIs,
  streamText,
  tool,
  transcribe
} from "ai"
import { readFile } from "node:fs/promises"
import { APICallError } from "@ai-sdk/provider"
import { createGateway, gatewayDecision } from "../../src/ai/index.ts"
import { BudgetExceededError, StreamInterruptedError } from "../../src/index.ts"
import { closedEarly, failure, gateway, scripted, scriptUrl, servers } from "../support/Servers.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeFixtures } from "../../../conformance/src/Fixtures.ts"

const provider = () => createGateway(gateway())

const weather = tool({
  description: "The weather in a city",
  inputSchema: jsonSchema<{ readonly city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"]
  }),
  execute: async ({ city }) => `It rains in ${city}.`
})

describe("language models of the AI SDK", () => {
  it("generateText tells text, usage, and the decision with its exact cost", async () => {
    const { finishReason, providerMetadata, text, usage } = await generateText({
      model: provider()("auto"),
      prompt: "Hi"
    })
    assert.match(text, /^Hello! I am “mini”/)
    assert.strictEqual(finishReason, "stop")
    assert.isAbove(usage.outputTokens ?? 0, 0)
    const decision = gatewayDecision({ providerMetadata })
    assert.include(decision, { deployment: "demo/mini", bucket: "simple", costIsFinal: true })
    const receipt = await gateway().receipts.get(decision?.receiptId ?? "")
    assert.strictEqual(decision?.costUsd, receipt.cost_usd)
  })

  it("streamText tells the pieces, and the exact cost at the end", async () => {
    const answer = streamText({ model: provider()("demo/reasoner"), prompt: "Hello" })
    const pieces: Array<string> = []
    for await (const piece of answer.textStream) pieces.push(piece)
    assert.isAbove(pieces.length, 5)
    assert.match(pieces.join(""), /^Hello! I am “reasoner”/)
    assert.match((await answer.reasoningText) ?? "", /^The user writes/)
    assert.isAbove((await answer.usage).outputTokens ?? 0, 0)
    const decision = gatewayDecision({ providerMetadata: await answer.providerMetadata })
    assert.include(decision, { deployment: "demo/reasoner", costIsFinal: true })
  })

  it("tools are called and answered, plain and streamed", async () => {
    const asked = {
      model: provider()("demo/standard"),
      prompt: "What is the weather in Paris?",
      tools: { weather },
      stopWhen: stepCountIs(3)
    }
    const plain = await generateText(asked)
    assert.strictEqual(plain.steps[0]?.toolCalls[0]?.toolName, "weather")
    assert.include(plain.text, "It rains in Paris.")
    const streamed = streamText(asked)
    assert.include(await streamed.text, "It rains in Paris.")
    assert.deepStrictEqual((await streamed.steps)[0]?.toolCalls[0]?.input, { city: "Paris" })
  })

  it("generateObject gets an object of its schema", async () => {
    const { object } = await generateObject({
      model: provider()("demo/standard"),
      prompt: "Add 23 and 7",
      schema: jsonSchema<{ readonly left: number }>({
        type: "object",
        properties: { left: { type: "integer" } },
        required: ["left"],
        additionalProperties: false
      })
    })
    assert.isTrue(Number.isInteger(object.left))
  })

  it("options of the gateway travel, and reach the receipt", async () => {
    const { providerMetadata } = await generateText({
      model: provider()("demo/mini"),
      prompt: "Hello",
      providerOptions: { gateway: { tags: ["ai-sdk-tag"], session: "s1" } }
    })
    const receipt = await gateway().receipts.get(gatewayDecision({ providerMetadata })?.receiptId ?? "")
    assert.include(receipt.tags, "ai-sdk-tag")
  })

  it("a budget that is used up is not tried again; the original error is the cause", async () => {
    const { key } = await gateway().admin.keys.create({ budget_usd: 1e-9 })
    const poor = createGateway({ baseUrl: servers().url, apiKey: key })
    const error = await failure(generateText({ model: poor("demo/mini"), prompt: "Hello" }))
    assert.isTrue(APICallError.isInstance(error))
    if (!APICallError.isInstance(error)) return
    assert.isFalse(error.isRetryable)
    assert.instanceOf(error.cause, BudgetExceededError)
  })

  it("a rate limit is tried again, when the gateway says", async () => {
    const { text } = await generateText({
      model: createGateway(scripted("retry-ms"))("demo/mini"),
      prompt: "Hello"
    })
    assert.strictEqual(text, "Fine.")
  })

  it("a stream that breaks off ends in an error part", async () => {
    const errors: Array<unknown> = []
    const answer = streamText({
      model: provider()("demo/cut-6"),
      prompt: "Hello",
      onError: ({ error }) => void errors.push(error)
    })
    for await (const _ of answer.fullStream);
    assert.instanceOf(errors[0], StreamInterruptedError)
  })

  it("leaving a stream closes the connection", async () => {
    const baseUrl = scriptUrl("endless-stream")
    const leave = new AbortController()
    const answer = streamText({
      model: createGateway({ baseUrl, apiKey: "mgw_scripted" })("demo/mini"),
      prompt: "Hello",
      abortSignal: leave.signal
    })
    for await (const piece of answer.textStream) if (piece.includes("upon")) leave.abort()
    assert.isTrue(await closedEarly(baseUrl))
  })
})

describe("other models of the AI SDK", () => {
  it("embedMany tells vectors and the decision", async () => {
    const { embeddings, providerMetadata } = await embedMany({
      model: provider().embeddingModel("demo/embed"),
      values: ["one", "two"]
    })
    assert.lengthOf(embeddings, 2)
    assert.include(gatewayDecision({ providerMetadata: providerMetadata as never }), { deployment: "demo/embed" })
  })

  it("generateImage tells a picture and the decision", async () => {
    const { image, providerMetadata } = await generateImage({
      model: provider().imageModel("demo/picture"),
      prompt: "A house"
    })
    assert.deepStrictEqual(Array.from(image.uint8Array.subarray(1, 4)), [80, 78, 71])
    assert.include(gatewayDecision({ providerMetadata: providerMetadata as never }), { deployment: "demo/picture" })
  })

  it("transcribe tells the text and the decision", async () => {
    const folder = mkdtempSync(join(tmpdir(), "model-gateway-client-"))
    try {
      writeFixtures(folder)
      const audio = await readFile(join(folder, "hum.wav"))
      const { providerMetadata, text } = await transcribe({
        model: provider().transcriptionModel("demo/transcribe"),
        audio
      })
      assert.isNotEmpty(text)
      assert.include(gatewayDecision({ providerMetadata: providerMetadata as never }), {
        deployment: "demo/transcribe"
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("generateSpeech gets the sound", async () => {
    const { audio, providerMetadata, warnings } = await generateSpeech({
      model: provider().speechModel("demo/speech"),
      text: "Good morning",
      language: "en"
    })
    assert.isAbove(audio.uint8Array.length, 100)
    assert.deepStrictEqual(
      warnings.map((warning) => ("feature" in warning ? warning.feature : "")),
      ["language"]
    )
    assert.include(gatewayDecision({ providerMetadata: providerMetadata as never }), { deployment: "demo/speech" })
  })

  it("rerank gets texts and objects in their order", async () => {
    const documents = ["Rome is the capital of Italy.", "Paris is the capital of France.", "Soup."]
    const query = "What is the capital of France?"
    const model = provider().rerankingModel("demo/rerank")
    const { providerMetadata, ranking } = await rerank({ model, query, documents, topN: 2 })
    assert.deepStrictEqual(
      ranking.map(({ document, originalIndex }) => [originalIndex, document]),
      [
        [1, documents[1]],
        [0, documents[0]]
      ]
    )
    assert.include(gatewayDecision({ providerMetadata }), { deployment: "demo/rerank", costIsFinal: true })
    const objects = await rerank({ model, query, documents: documents.map((text) => ({ text })), topN: 1 })
    assert.deepStrictEqual(objects.rerankedDocuments, [{ text: documents[1] ?? "" }])
    const error = await failure(rerank({ model: provider().rerankingModel("demo/none"), query, documents }))
    assert.instanceOf(error, APICallError)
    assert.strictEqual((error as APICallError).statusCode, 404)
  })
})
