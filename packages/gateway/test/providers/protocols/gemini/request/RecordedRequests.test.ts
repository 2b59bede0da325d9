/** Recorded native requests, written as the chat requests that ask for the same, must come out as they were. */
import { assert, describe, it } from "@effect/vitest"
import { type Exchange, hasData } from "../../../../support/Transcripts.ts"
import { asChat, recordedModel, recordedRequest, sayableContents } from "../../../../support/GeminiRequests.ts"
import { exchanges } from "../Recordings.ts"
import { lowered, type Sent } from "../Support.ts"

const asked = exchanges.filter(({ request, response }) => response.status === 200 && request.body !== undefined)

/** Fields of a function's declaration that mean the same by another name: the older one knows a part of JSON Schema. */
const declarations = (tools: ReadonlyArray<Sent> = []): ReadonlyArray<Sent> =>
  tools.flatMap(({ functionDeclarations: declared = [] }) =>
    (declared as ReadonlyArray<Sent>).map(({ description, name, parameters, parametersJsonSchema }) => ({
      name,
      description: description === "" ? undefined : description,
      schema: withoutEmptiness(parametersJsonSchema ?? parameters)
    }))
  )

/** A schema without a type is given one. */
const withoutEmptiness = (schema: Sent | undefined): Sent | undefined =>
  schema === undefined || schema["type"] !== undefined ? schema : { type: "object", ...schema }

const ownTools = (tools: ReadonlyArray<Sent> = []): ReadonlyArray<string> =>
  tools.flatMap((tool) => Object.keys(tool).filter((name) => name !== "functionDeclarations"))

const caller = (exchange: Exchange) => {
  const body = asChat(exchange)
  return [body, { model: recordedModel(exchange)!, maxOutput: body["max_tokens"] }] as const
}

describe.skipIf(!hasData)("recorded requests", () => {
  it("are all there", () => assert.isAbove(asked.length, 270))

  it("say what they said: every part, call, result and signature in its turn", () => {
    let signatures = 0
    for (const exchange of asked) {
      const { sent } = lowered(...caller(exchange))
      const recorded = sayableContents(recordedRequest(exchange))
      signatures += JSON.stringify(recorded).split('"thoughtSignature"').length - 1
      // A call that was recorded without its signature gets the word that stands for one.
      const ours = JSON.parse(
        JSON.stringify(sent["contents"]).replaceAll(',"thoughtSignature":"skip_thought_signature_validator"', "")
      ) as unknown
      assert.deepStrictEqual(ours, recorded, exchange.name)
    }
    assert.isAbove(signatures, 150)
  })

  it("instruct, declare and choose as they did", () => {
    for (const exchange of asked) {
      const { sent } = lowered(...caller(exchange))
      const recorded = recordedRequest(exchange)
      const texts = ({ systemInstruction: given }: Sent) => given?.parts.map(({ text }: Sent) => text as string)
      assert.deepStrictEqual(texts(sent), texts(recorded), exchange.name)
      const ours = declarations(sent["tools"]).filter(({ name }) => name !== "json")
      assert.deepStrictEqual(ours, declarations(recorded["tools"]), exchange.name)
      assert.sameMembers([...ownTools(sent["tools"])], [...ownTools(recorded["tools"])], exchange.name)
      const { allowedFunctionNames: names, mode } = recorded["toolConfig"]?.functionCallingConfig ?? {}
      if (mode === undefined || ours.length === 0) continue
      const choice = sent["toolConfig"].functionCallingConfig
      assert.strictEqual(choice.mode, mode, exchange.name)
      assert.deepStrictEqual(choice.allowedFunctionNames, names, exchange.name)
    }
  })

  it("generate as they did", () => {
    for (const exchange of asked) {
      const { dropped, sent } = lowered(...caller(exchange))
      const recorded = recordedRequest(exchange)
      // Text is what models answer in anyway. The oldest spelling of schemas has its own.
      const { responseModalities: _, responseSchema, ...config } = (recorded["generationConfig"] ?? {}) as Sent
      if (responseSchema !== undefined) continue
      const { ...ours } = (sent["generationConfig"] ?? {}) as Sent
      assert.deepStrictEqual(ours, config, exchange.name)
      assert.deepStrictEqual(sent["cachedContent"], recorded["cachedContent"], exchange.name)
      assert.deepStrictEqual(dropped, [], exchange.name)
    }
  })
})
