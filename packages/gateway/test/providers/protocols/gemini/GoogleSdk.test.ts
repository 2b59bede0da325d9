/** What Google's own SDK sends for a conversation, and how it reads recorded answers, beside the gateway. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI, ThinkingLevel } from "@google/genai"
import { Result } from "effect"
import { outputTokens, totalTokens } from "../../../../src/core/domain/Usage.ts"
import { GeminiChat } from "../../../../src/providers/protocols/gemini/GeminiProtocol.ts"
import { hasData, type Exchange } from "../../../support/Transcripts.ts"
import { callFor, exchanges, isVertex, modelOf, textOf } from "./Recordings.ts"
import { lowered, type Sent } from "./Support.ts"

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const schema = { type: "object", properties: { sunny: { type: "boolean" } }, required: ["sunny"] }

let server: Server
let answer: { readonly type: string; readonly bytes: Uint8Array } = {
  type: "application/json",
  bytes: Buffer.from("{}")
}
let asked: Sent = {}

const sdk = (): GoogleGenAI => {
  const { port } = server.address() as AddressInfo
  return new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: `http://127.0.0.1:${port}` } })
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      asked = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Sent
      response.writeHead(200, { "content-type": answer.type })
      response.end(answer.bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe("Google's SDK", () => {
  it("sends what the gateway sends for the same conversation", async () => {
    await sdk().models.generateContent({
      model: "gemini-3-flash-preview",
      contents: [
        { role: "user", parts: [{ text: "Weather in Paris and Rome?" }] },
        {
          role: "model",
          parts: [
            { functionCall: { id: "a", name: "weather", args: { city: "Paris" } }, thoughtSignature: "c2ln" },
            { functionCall: { id: "b", name: "weather", args: { city: "Rome" } } }
          ]
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "a", name: "weather", response: { result: "sunny" } } },
            { functionResponse: { id: "b", name: "weather", response: { result: "rain" } } }
          ]
        }
      ],
      config: {
        systemInstruction: { parts: [{ text: "Be brief." }] },
        tools: [{ functionDeclarations: [{ name: "weather", description: "W", parametersJsonSchema: parameters }] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
        responseMimeType: "application/json",
        responseJsonSchema: schema,
        thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
        maxOutputTokens: 500,
        temperature: 0.2,
        topP: 0.9,
        seed: 7,
        stopSequences: ["END"]
      }
    })
    const call = (id: string, city: string, more: object = {}) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: JSON.stringify({ city }) },
      ...more
    })
    const { dropped, sent } = lowered(
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather in Paris and Rome?" },
          {
            role: "assistant",
            content: null,
            tool_calls: [
              call("a", "Paris", { extra_content: { google: { thought_signature: "c2ln" } } }),
              call("b", "Rome")
            ]
          },
          { role: "tool", tool_call_id: "a", content: "sunny" },
          { role: "tool", tool_call_id: "b", content: "rain" }
        ],
        tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
        tool_choice: "auto",
        response_format: { type: "json_schema", json_schema: { name: "s", schema } },
        reasoning_effort: "low",
        max_tokens: 500,
        temperature: 0.2,
        top_p: 0.9,
        seed: 7,
        stop: ["END"]
      },
      { maxOutput: 500 }
    )
    assert.deepStrictEqual(dropped, [])
    assert.deepStrictEqual(inOneCase(sent), inOneCase(asked))
  })
})

/** The API takes the names of enums in either case. */
const inOneCase = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === "thinkingLevel" ? String(inner).toUpperCase() : inner))
  )

interface Told {
  readonly text: string
  readonly calls: ReadonlyArray<readonly [name: string | undefined, args: unknown]>
  readonly total: number | undefined
}

const told = (responses: ReadonlyArray<GenerateContentResponse>): Told => {
  const parts = responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  return {
    text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [[functionCall.name, functionCall.args ?? {}] as const]
    ),
    total: responses.at(-1)?.usageMetadata?.totalTokenCount
  }
}

const ours = (exchange: Exchange): Told => {
  const { body, usage } = Result.getOrThrow(GeminiChat.lift(textOf(exchange), callFor(exchange)))
  const [choice] = body["choices"] as ReadonlyArray<Sent>
  const calls = (choice?.["message"].tool_calls ?? []) as ReadonlyArray<Sent>
  assert.isAtLeast(outputTokens(usage!), 0)
  return {
    text: choice?.["message"].content ?? "",
    calls: calls.map(({ function: called }) => [called.name as string, JSON.parse(called.arguments) as unknown]),
    total: totalTokens(usage!)
  }
}

describe.skipIf(!hasData)("recorded answers of AI Studio", () => {
  const recorded = exchanges.filter(
    (exchange) => exchange.response.status === 200 && !isVertex(exchange) && !exchange.streamed
  )

  it("mean to Google's SDK what they mean here", async () => {
    assert.isAbove(recorded.length, 100)
    for (const exchange of recorded) {
      answer = { type: "application/json", bytes: exchange.response.bytes }
      const response = await sdk().models.generateContent({ model: modelOf(exchange), contents: "Hi" })
      assert.deepStrictEqual(ours(exchange), told([response]), exchange.name)
    }
  })
})
