/** `gateway.openai()` in the clients that it is for. */
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import { generateText } from "ai"
import OpenAI from "openai"
import { gateway, hello } from "./support/Servers.ts"

describe("options for other clients", () => {
  it("openai", async () => {
    const { data, response } = await new OpenAI(gateway().openai()).chat.completions
      .create({ model: "demo/mini", messages: [{ role: "user", content: "Hello" }] })
      .withResponse()
    assert.match(data.choices[0]?.message.content ?? "", /^Hello! I am “mini”/)
    assert.strictEqual(response.headers.get("x-gateway-decision"), "demo/mini")
  })

  it("the AI SDK's provider for OpenAI", async () => {
    const { text } = await generateText({ model: createOpenAI(gateway().openai()).chat("demo/mini"), prompt: "Hello" })
    assert.match(text, /^Hello! I am “mini”/)
  })

  it("headers of the client's go along, its name does not", () => {
    const { configuration, defaultHeaders } = gateway({ headers: { "x-own": "1" } }).openai()
    assert.deepStrictEqual(defaultHeaders, { "x-own": "1" })
    assert.match(configuration.baseURL, /\/v1$/)
  })
})

describe("raw answers", () => {
  it("withResponse and asResponse", async () => {
    const call = gateway().chat.completions.create(hello)
    const { data, requestId, response } = await call.withResponse()
    assert.strictEqual(response.status, 200)
    assert.strictEqual(requestId, data.gateway?.requestId)
    const raw = await gateway().chat.completions.create(hello).asResponse()
    assert.strictEqual(JSON.parse(await raw.text()).object, "chat.completion")
  })
})

describe("lists", () => {
  it("pages, and the first of them alone", async () => {
    const { admin } = gateway()
    const team = `pages-${process.pid}`
    for (const name of ["a", "b", "c"]) await admin.keys.create({ name, team })
    const sizes: Array<number> = []
    for await (const { data } of admin.keys.list({ team, limit: 2 }).pages()) sizes.push(data.length)
    assert.deepStrictEqual(sizes, [2, 1])
    assert.strictEqual((await admin.keys.list({ team, limit: 2 }).first()).data[0]?.name, "c")
  })
})
