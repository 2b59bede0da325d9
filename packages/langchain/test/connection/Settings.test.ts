import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { ChatGateway, GatewayConfigurationError, GatewayEmbeddings } from "../../src/index.ts"

const variables = ["GATEWAY_API_KEY", "GATEWAY_BASE_URL"] as const
const before = variables.map((name) => process.env[name])

beforeEach(() => {
  for (const name of variables) delete process.env[name]
})
afterEach(() => {
  for (const [at, name] of variables.entries()) {
    if (before[at] === undefined) delete process.env[name]
    else process.env[name] = before[at]
  }
})

const refusal = (make: () => unknown): string => {
  try {
    make()
  } catch (error) {
    assert.isTrue(GatewayConfigurationError.isInstance(error))
    return (error as Error).message
  }
  return assert.fail("This had to be refused.")
}

describe("the address", () => {
  for (const [given, used] of [
    ["http://127.0.0.1:4100", "http://127.0.0.1:4100/v1"],
    ["http://127.0.0.1:4100/", "http://127.0.0.1:4100/v1"],
    ["http://127.0.0.1:4100/v1", "http://127.0.0.1:4100/v1"],
    ["http://127.0.0.1:4100/v1/", "http://127.0.0.1:4100/v1"],
    ["http://127.0.0.1:4100//v1//", "http://127.0.0.1:4100/v1"],
    [" https://ai.example.com/gateway ", "https://ai.example.com/gateway/v1"],
    ["https://ai.example.com/openai/v1", "https://ai.example.com/openai/v1"]
  ] as const) {
    it(`${given} is ${used}`, () => {
      assert.strictEqual(new ChatGateway({ apiKey: "mgw_x", baseUrl: given }).baseUrl, used)
    })
  }

  it("comes from the environment, as the key does", () => {
    process.env["GATEWAY_API_KEY"] = "mgw_x"
    process.env["GATEWAY_BASE_URL"] = "http://127.0.0.1:4100"
    assert.strictEqual(new ChatGateway().baseUrl, "http://127.0.0.1:4100/v1")
    assert.strictEqual(new ChatGateway("fast").model, "fast")
    assert.strictEqual(new ChatGateway({ baseUrl: "http://other:1" }).baseUrl, "http://other:1/v1")
  })

  it("that can't be one is refused, with the option, the variable and an example, and without the value", () => {
    const values = [
      "localhost:4100",
      "not a url",
      "ftp://host/",
      "http://user:hunter2@host/",
      "http://host/?key=hunter2"
    ]
    for (const baseUrl of values) {
      const message = refusal(() => new ChatGateway({ apiKey: "mgw_x", baseUrl }))
      for (const word of ["baseUrl", "GATEWAY_BASE_URL", "http://127.0.0.1:4100/v1"]) assert.include(message, word)
      assert.notInclude(message, "hunter2")
    }
  })
})

describe("what is missing is named, option and variable", () => {
  it("the address", () => {
    const message = refusal(() => new ChatGateway({ apiKey: "mgw_x" }))
    assert.include(message, "`baseUrl`")
    assert.include(message, "GATEWAY_BASE_URL")
  })

  for (const apiKey of [undefined, "", "  "]) {
    it(`the key: ${JSON.stringify(apiKey)}`, () => {
      const message = refusal(() => new ChatGateway({ apiKey, baseUrl: "http://host" }))
      assert.include(message, "`apiKey`")
      assert.include(message, "GATEWAY_API_KEY")
    })
  }

  it("the model of embeddings", () => {
    const fields = { apiKey: "mgw_x", baseUrl: "http://host", model: "" }
    assert.include(
      refusal(() => new GatewayEmbeddings(fields)),
      "`model`"
    )
  })
})

describe("options", () => {
  const good = { apiKey: "mgw_x", baseUrl: "http://host" }

  it("a key with a line break in it is refused before any header could show it", () => {
    const message = refusal(() => new ChatGateway({ ...good, apiKey: "mgw_secret\nx" }))
    assert.notInclude(message, "mgw_secret")
  })

  it("with other packages' names are refused, with ours", () => {
    for (const [name, ours] of [
      ["configuration", "baseUrl"],
      ["baseURL", "baseUrl"],
      ["openAIApiKey", "apiKey"],
      ["modelName", "model"],
      ["max_tokens", "maxTokens"],
      ["n", "`batch`"],
      ["promptCacheKey", "sessionId"],
      ["serviceTier", "service_tier"]
    ] as const) {
      const message = refusal(() => new ChatGateway({ ...good, [name]: "x" }))
      assert.include(message, `\`${name}\``)
      assert.include(message, ours)
    }
  })

  it("a timeout that is no time is refused", () => {
    assert.include(
      refusal(() => new ChatGateway({ ...good, timeout: -1 })),
      "`timeout`"
    )
  })

  it("a key that is no text is refused, an address that is a URL is taken", () => {
    const apiKey = (async () => "mgw_x") as never
    assert.include(
      refusal(() => new ChatGateway({ ...good, apiKey })),
      "`apiKey`"
    )
    assert.strictEqual(new ChatGateway({ ...good, baseUrl: new URL("http://host:1/v1/") }).baseUrl, "http://host:1/v1")
  })

  it("stopSequences are stop, under its other name", () => {
    const model = new ChatGateway({ ...good, stopSequences: ["a"] })
    assert.deepStrictEqual(model.invocationParams()["stop"], ["a"])
    assert.deepStrictEqual(JSON.parse(JSON.stringify(model)).kwargs.stop, ["a"])
    assert.deepStrictEqual(new ChatGateway({ ...good, stop: ["b"], stopSequences: ["a"] }).stop, ["b"])
  })

  it("a number of retries that is none is refused", () => {
    for (const maxRetries of [-1, Number.NaN]) {
      assert.include(
        refusal(() => new ChatGateway({ ...good, maxRetries })),
        "`maxRetries`"
      )
    }
  })

  it("that are undefined are those that were not given", () => {
    const model = new ChatGateway({ ...good, maxRetries: undefined as never })
    assert.strictEqual(JSON.parse(JSON.stringify(model)).kwargs.max_retries, 2)
  })

  it("work where there is no `process`", () => {
    const { process: saved } = globalThis
    try {
      Reflect.deleteProperty(globalThis, "process")
      assert.strictEqual(new ChatGateway(good).model, "auto")
      assert.include(
        refusal(() => new ChatGateway()),
        "GATEWAY_API_KEY"
      )
    } finally {
      globalThis.process = saved
    }
  })
})

it("a count of tokens is a guess that asks nobody", async () => {
  const model = new ChatGateway({ apiKey: "mgw_x", baseUrl: "http://127.0.0.1:9" })
  assert.strictEqual(await model.getNumTokens("twelve chars"), 3)
  assert.strictEqual(await model.getNumTokens([{ type: "text", text: "five." }, { type: "image" }]), 2)
})
