import { assert, describe, it } from "@effect/vitest"
import { z } from "zod"
import { gatewayDecision, GatewayInputError } from "../../src/index.ts"
import { failure } from "../support/Model.ts"
import { serving } from "../support/Sse.ts"

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

/** Answers with this message, and keeps what it was asked. */
const answering = async (message: object, finish_reason = "stop") => {
  const asked: Array<Record<string, unknown>> = []
  const server = await serving(async (request, response) => {
    let text = ""
    for await (const piece of request) text += piece
    asked.push(JSON.parse(text))
    response.writeHead(200, { "content-type": "application/json", "x-gateway-decision": "p/m" })
    response.end(JSON.stringify({ id: "1", model: "m", choices: [{ message, finish_reason }] }))
  })
  return { server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const calling = (args: object, name = "extract") => ({
  tool_calls: [{ id: "c", function: { name, arguments: JSON.stringify(args) } }]
})

describe("structured output", () => {
  it("from a model that does not call is an error with what it said, or null beside the message", async () => {
    await using one = await answering({ content: "I would rather chat." })
    const model = one.server.model()
    assert.include((await failure(model.withStructuredOutput(schema).invoke("hi"))).message, "I would rather chat.")
    const { parsed, raw } = await model.withStructuredOutput(schema, { includeRaw: true }).invoke("hi")
    assert.isNull(parsed)
    assert.strictEqual(gatewayDecision(raw)?.provider, "p")
  })

  it("says why there is none: a refusal, the limit of tokens", async () => {
    for (const [message, finish_reason, words] of [
      [{ content: null, refusal: "I must not say that." }, "stop", "refused: I must not say that."],
      [{ content: '{"city":"Ro' }, "length", 'limit of tokens: {"city":"Ro']
    ] as const) {
      await using one = await answering(message, finish_reason)
      for (const method of ["functionCalling", "jsonSchema", "jsonMode"] as const) {
        for (const shape of [schema, z.object({ city: z.string() })]) {
          const model = one.server.model().withStructuredOutput(shape, { method })
          assert.include((await failure(model.invoke("hi"))).message, words)
        }
      }
    }
    await using odd = await answering({ content: '{"town":"Rome"}' })
    const model = odd.server.model().withStructuredOutput(z.object({ city: z.string() }), { method: "jsonSchema" })
    assert.include((await failure(model.invoke("hi"))).message, "town")
  })

  it("of schemas that are functions, as some libraries' are", async () => {
    await using one = await answering(calling({ city: "Rome" }))
    const standard = Object.assign(() => undefined, {
      "~standard": {
        version: 1,
        vendor: "tests",
        validate: (value: { readonly city: string }) =>
          value.city === "Rome" ? { value: { city: "Roma" } } : { issues: [{ message: "not Rome" }] },
        jsonSchema: { input: () => schema, output: () => schema }
      }
    })
    const model = one.server.model()
    assert.deepStrictEqual(await model.withStructuredOutput(standard as never).invoke("hi"), { city: "Roma" })
    const [tool] = one.asked[0]!["tools"] as ReadonlyArray<{ readonly function: { readonly parameters: object } }>
    assert.deepStrictEqual(tool?.function.parameters, schema)
  })

  it("is named by the caller, else by the schema where its title can be a name", async () => {
    for (const [given, options, name] of [
      [schema, {}, "extract"],
      [{ ...schema, title: "Place" }, {}, "Place"],
      [{ ...schema, title: "A place" }, {}, "extract"],
      [{ ...schema, title: "Place" }, { name: "mine" }, "mine"],
      [{ name: "place", description: "Where.", parameters: schema }, {}, "place"]
    ] as const) {
      await using one = await answering(calling({ city: "Rome" }, name))
      const answer = await one.server
        .model()
        .withStructuredOutput(given, { strict: true, ...options })
        .invoke("hi")
      assert.deepStrictEqual(answer, { city: "Rome" })
      assert.deepInclude(one.asked[0], { tool_choice: { type: "function", function: { name } } })
      const [tool] = one.asked[0]!["tools"] as ReadonlyArray<{ readonly function: Record<string, unknown> }>
      assert.deepInclude(tool?.function, { name, strict: true, parameters: expectedParameters(given) })
    }
  })

  it("by schema or in JSON mode asks for that, and tells tracers", async () => {
    await using one = await answering({ content: '{"city":"Rome"}' })
    for (const [method, type] of [
      ["jsonSchema", "json_schema"],
      ["jsonMode", "json_object"]
    ] as const) {
      const traced: Array<unknown> = []
      const model = one.server.model().withStructuredOutput(schema, { method })
      const handleChatModelStart = (...[, , , , extra]: ReadonlyArray<never>) =>
        void traced.push((extra as unknown as Traced).options.ls_structured_output_format)
      assert.deepStrictEqual(await model.invoke("hi", { callbacks: [{ handleChatModelStart }] }), { city: "Rome" })
      assert.deepInclude(one.asked.at(-1)?.["response_format"] as object, { type })
      assert.deepStrictEqual(traced, [{ kwargs: { method }, schema }])
    }
  })

  it("that can't be asked for is refused", async () => {
    await using one = await answering({})
    const model = one.server.model()
    assert.throws(() => model.withStructuredOutput(null as never), GatewayInputError, "JSON schema")
    assert.throws(() => model.withStructuredOutput(schema, { method: "magic" }), GatewayInputError, "jsonMode")
    const validating = { "~standard": { version: 1, vendor: "checkers", validate: (value: unknown) => ({ value }) } }
    assert.throws(() => model.withStructuredOutput(validating), GatewayInputError, "checkers")
  })
})

/** A title stays where it is: it is part of the schema. */
const expectedParameters = (given: object): object =>
  "parameters" in given ? (given as { readonly parameters: object }).parameters : given

interface Traced {
  readonly options: { readonly ls_structured_output_format: unknown }
}
