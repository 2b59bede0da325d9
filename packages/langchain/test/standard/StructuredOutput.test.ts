/** The standard chat-model suite: answers with a schema, by every method and from every kind of schema. */
import { assert, describe, it } from "@effect/vitest"
import { BaseCallbackHandler } from "@langchain/core/callbacks/base"
import type { Serialized } from "@langchain/core/load/serializable"
import { AIMessage } from "@langchain/core/messages"
import { ChatPromptTemplate } from "@langchain/core/prompts"
import { toJsonSchema } from "@langchain/core/utils/json_schema"
import { z } from "zod"
import { z as z3 } from "zod3"
import { useGateway } from "../support/UseGateway.ts"
import { connect, decisionOf } from "../support/Model.ts"

const gateway = useGateway()

const question = "What is 1836281973 plus 19973286?"
const expected = { a: 1836281973, b: 19973286 }
const zod3 = z3.object({ a: z3.number().int(), b: z3.number().int() })
const zod4 = z.object({ a: z.int(), b: z.int() })
const schemas = [
  ["zod 3", zod3],
  ["zod 4", zod4],
  ["JSON schema", toJsonSchema(zod4)]
] as const

/** What tracers are told at the start of a call. */
class Told extends BaseCallbackHandler {
  name = "told"
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own word for it
  options: any

  override handleChatModelStart(...[, , , , extra]: [Serialized, unknown, string, string?, Record<string, unknown>?]) {
    this.options = extra?.["options"]
  }
}

describe("withStructuredOutput", () => {
  for (const [name, schema] of schemas) {
    it(`${name}: the value, and tracers are told the method and the schema`, async () => {
      const { model } = await connect(gateway())
      const told = new Told()
      const prompt = ChatPromptTemplate.fromMessages([["human", "{question}"]])
      const chain = prompt.pipe(model.withStructuredOutput(schema as typeof zod4, { name: "addition" }))
      assert.deepStrictEqual(await chain.invoke({ question }, { callbacks: [told] }), expected)
      const format = told.options.ls_structured_output_format
      assert.strictEqual(format.kwargs.method, "functionCalling")
      assert.deepStrictEqual(format.schema, toJsonSchema(schema as typeof zod4))
    })

    it(`${name}, includeRaw: the message beside the value, with its decision`, async () => {
      const { keyId, model } = await connect(gateway())
      const told = new Told()
      const chain = model.withStructuredOutput(schema as typeof zod4, { name: "addition", includeRaw: true })
      const { parsed, raw } = await chain.invoke(question, { callbacks: [told] })
      assert.deepStrictEqual(parsed, expected)
      assert.instanceOf(raw, AIMessage)
      const [receipt] = await gateway().receipts(keyId, 1)
      assert.strictEqual(decisionOf(raw).receiptId, receipt?.id)
      assert.strictEqual(told.options.ls_structured_output_format.kwargs.method, "functionCalling")
    })

    it(`${name}, method jsonSchema: the answer itself is the value`, async () => {
      const { model } = await connect(gateway())
      const options = { name: "addition", method: "jsonSchema", includeRaw: true } as const
      const { parsed, raw } = await model.withStructuredOutput(schema as typeof zod4, options).invoke(question)
      assert.deepStrictEqual(parsed, expected)
      assert.deepStrictEqual(JSON.parse((raw as AIMessage).text), expected)
      assert.isEmpty((raw as AIMessage).tool_calls)
    })
  }

  it("method jsonMode: any JSON object, parsed", async () => {
    const { model } = await connect(gateway())
    const schema = z.object({ answer: z.string(), prompt: z.string() })
    const value = await model.withStructuredOutput(schema, { method: "jsonMode" }).invoke("Answer in JSON.")
    assert.strictEqual(value.prompt, "Answer in JSON.")
  })

  it("streamed: the last value is the whole one", async () => {
    const { model } = await connect(gateway())
    let last: unknown
    for await (const value of await model.withStructuredOutput(zod4).stream(question)) last = value
    assert.deepStrictEqual(last, expected)
  })

  it("a schema of several levels, with an object of unknown fields", async () => {
    const { model } = await connect(gateway())
    const plan = z3.object({
      decision: z3.enum(["UseApi", "UseFallback"]),
      explanation: z3.string(),
      api: z3.object({ service: z3.string(), parameters: z3.record(z3.unknown()), path: z3.string() })
    })
    const prompt = ChatPromptTemplate.fromMessages([
      ["system", "Always use {tool}."],
      ["human", "I want to UseFallback. The service is {service}, the parameters are {parameters}, the path is {path}."]
    ])
    const value = await prompt.pipe(model.withStructuredOutput(plan, { name: "make_plan" })).invoke({
      tool: "make_plan",
      service: "Weather",
      parameters: JSON.stringify({ city: "Lisbon" }),
      path: "days/0"
    })
    assert.strictEqual(value.decision, "UseFallback")
    assert.isString(value.explanation)
    assert.isString(value.api.service)
    assert.isObject(value.api.parameters)
  })
})
