/** The standard chat-model suite: tools in every form that LangChain has, called, streamed, called in parallel, answered. */
import { assert, describe, it } from "@effect/vitest"
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages"
import { ChatPromptTemplate } from "@langchain/core/prompts"
import { RunnableLambda } from "@langchain/core/runnables"
import { toJsonSchema } from "@langchain/core/utils/json_schema"
import { z } from "zod"
import { useGateway } from "../support/UseGateway.ts"
import { collect, connect, usageOf } from "../support/Model.ts"
import { addends, AddTool, bothTools, localTime, weather } from "../support/Tools.ts"

const gateway = useGateway()

const sum = ChatPromptTemplate.fromMessages([
  ["system", "You can't add. Always call {tool}."],
  ["human", "What is 1836281973 plus 19973286?"]
])
const asked = { tool: "add_numbers" }
const addendsOfSum = { a: 1836281973, b: 19973286 }

describe("tools", () => {
  it("of a class: one call with arguments, an id and a type", async () => {
    const { model } = await connect(gateway())
    const message = await model.bindTools([new AddTool()]).invoke("What is add_numbers of 1 and 2?")
    assert.instanceOf(message, AIMessage)
    assert.lengthOf(message.tool_calls ?? [], 1)
    const [call] = message.tool_calls ?? []
    assert.deepInclude(call, { name: "add_numbers", args: { a: 1, b: 2 }, type: "tool_call" })
    assert.match(call?.id ?? "", /^call_/)
    assert.strictEqual(message.response_metadata["finish_reason"], "tool_calls")
    assert.isEmpty(message.invalid_tool_calls)
  })

  it("in the vendor's own format", async () => {
    const { model } = await connect(gateway())
    const tool = {
      type: "function" as const,
      function: {
        name: "add_numbers",
        description: "Adds",
        parameters: toJsonSchema(addends) as Record<string, unknown>
      }
    }
    const message = await sum.pipe(model.bindTools([tool])).invoke(asked)
    assert.deepInclude(message.tool_calls?.[0], { name: "add_numbers", args: addendsOfSum })
  })

  it("made of a Runnable", async () => {
    const { model } = await connect(gateway())
    const runnable = RunnableLambda.from(({ a, b }: { readonly a: number; readonly b: number }) => String(a + b))
    const tool = runnable.asTool({ name: "add_numbers", description: "Adds", schema: addends })
    const message = await sum.pipe(model.bindTools([tool])).invoke(asked)
    assert.lengthOf(message.tool_calls ?? [], 1)
    const [call] = message.tool_calls ?? []
    assert.deepInclude(call, { name: "add_numbers", args: addendsOfSum, type: "tool_call" })
    assert.isString(call?.id)
  })

  it("as parameters without a function", async () => {
    const { model } = await connect(gateway())
    const params = { name: "get_weather", description: "The weather", schema: z.object({ city: z.string() }) }
    const message = await model.bindTools([params]).invoke("What is the weather like in Lisbon today?")
    assert.deepInclude(message.tool_calls?.[0], { name: "get_weather", args: { city: "Lisbon" } })
  })

  it("tool_choice: any, a name, none", async () => {
    const { model } = await connect(gateway())
    const answer = async (tool_choice: string) =>
      (await model.bindTools([weather, localTime], { tool_choice }).invoke("Hello")).tool_calls?.map(({ name }) => name)
    assert.lengthOf((await answer("any")) ?? [], 1)
    assert.deepStrictEqual(await answer("get_local_time"), ["get_local_time"])
    assert.deepStrictEqual(await answer("none"), [])
  })
})

describe("tools in streams", () => {
  it("come in pieces that add up to the call of the plain answer, with usage", async () => {
    const { model } = await connect(gateway())
    const chain = sum.pipe(model.bindTools([new AddTool()]))
    const { chunks, whole } = await collect(await chain.stream(asked))
    assert.isAbove(chunks.filter((chunk) => (chunk.tool_call_chunks ?? []).length > 0).length, 3)
    assert.deepInclude(whole.tool_calls?.[0], { name: "add_numbers", args: addendsOfSum })
    assert.isAbove(usageOf(whole)?.input_tokens ?? 0, 0)
    assert.isAbove(usageOf(whole)?.output_tokens ?? 0, 0)
    const plain = await chain.invoke(asked)
    assert.deepStrictEqual(usageOf(whole), usageOf(plain))
    assert.deepStrictEqual(
      whole.tool_calls?.map(({ name, args }) => ({ name, args })),
      plain.tool_calls?.map(({ name, args }) => ({ name, args }))
    )
  })

  it("as parameters without a function", async () => {
    const { model } = await connect(gateway())
    const params = { name: "get_weather", description: "The weather", schema: z.object({ city: z.string() }) }
    const { whole } = await collect(await model.bindTools([params]).stream("What is the weather like in Lisbon today?"))
    assert.deepInclude(whole.tool_calls?.[0], { name: "get_weather", args: { city: "Lisbon" } })
  })
})

describe("a tool's answer goes back to the model", () => {
  const question = new HumanMessage(`What is the weather in Lisbon? Use "get_weather".`)
  const answered = async (message: AIMessage): Promise<Array<BaseMessage>> => {
    const [call] = message.tool_calls ?? []
    assert.strictEqual(call?.name, "get_weather")
    const content: string = await weather.invoke({ city: String(call?.args["city"]) })
    return [question, message, new ToolMessage({ tool_call_id: call?.id ?? "", name: "get_weather", content })]
  }

  it("invoked", async () => {
    const { model } = await connect(gateway())
    const bound = model.bindTools([weather])
    const last = await bound.invoke(await answered(await bound.invoke([question])))
    assert.include(last.text, "19 degrees and sunny in Lisbon")
  })

  it("streamed: what the chunks add up to can be sent back as it is", async () => {
    const { model } = await connect(gateway())
    const bound = model.bindTools([weather])
    const { whole } = await collect(await bound.stream([question]))
    const last = await collect(await bound.stream(await answered(whole)))
    assert.include(last.whole.text, "19 degrees and sunny in Lisbon")
  })
})

describe("parallel tool calls", () => {
  const both = ["get_weather", "get_local_time"]

  it("invoked, streamed, and answered in a history", async () => {
    const { model } = await connect(gateway())
    const bound = model.bindTools([weather, localTime])
    const message = await bound.invoke(bothTools)
    assert.deepStrictEqual(
      message.tool_calls?.map(({ name }) => name),
      both
    )
    assert.strictEqual(new Set(message.tool_calls?.map(({ id }) => id)).size, 2)

    const { whole } = await collect(await bound.stream(bothTools))
    assert.deepStrictEqual(
      whole.tool_calls?.map(({ name }) => name),
      both
    )
    for (const { args } of whole.tool_calls ?? []) assert.hasAllKeys(args, ["city"])

    const results = (message.tool_calls ?? []).map(
      ({ id, name }) => new ToolMessage({ tool_call_id: id ?? "", name, content: `What ${name} says` })
    )
    const last = await bound.invoke([new HumanMessage(bothTools), message, ...results])
    assert.isEmpty(last.tool_calls)
    assert.include(last.text, "What get_local_time says")
  })

  it("parallel_tool_calls: false allows one at a time", async () => {
    const { model } = await connect(gateway())
    const message = await model.bindTools([weather, localTime], { parallel_tool_calls: false }).invoke(bothTools)
    assert.deepStrictEqual(
      message.tool_calls?.map(({ name }) => name),
      ["get_weather"]
    )
  })
})
