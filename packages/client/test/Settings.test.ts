import { inspect } from "node:util"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { AuthenticationError, ConfigurationError, Gateway, type GatewayOptions } from "../src/index.ts"
import { failure, gateway, hello, scripted } from "./support/Servers.ts"

const refused = (options: GatewayOptions): Error => {
  try {
    return new Error(`it was accepted: ${new Gateway(options).baseUrl}`)
  } catch (error) {
    assert.instanceOf(error, ConfigurationError)
    return error as Error
  }
}

describe("the options", () => {
  it.each([
    ["http://localhost:4100", "http://localhost:4100"],
    ["http://localhost:4100/", "http://localhost:4100"],
    ["http://localhost:4100/v1", "http://localhost:4100"],
    ["http://localhost:4100/v1/", "http://localhost:4100"],
    ["https://example.com//sub//v1//", "https://example.com/sub"],
    [" http://localhost:4100 ", "http://localhost:4100"]
  ])("the address %j is %s", (baseUrl, expected) => {
    assert.strictEqual(new Gateway({ baseUrl, apiKey: "k" }).baseUrl, expected)
  })

  it.each(["", "localhost:4100", "ftp://x", "http://root:hunter2@x", "http://x?key=hunter2", "http://x#hunter2"])(
    "the address %j is refused: option and variable are named, the value is not",
    (baseUrl) => {
      const { message } = refused({ baseUrl, apiKey: "k" })
      assert.match(message, /`baseUrl`.*GATEWAY_BASE_URL/)
      assert.notInclude(message, "hunter2")
    }
  )

  it("no key, or one that no header can hold, is refused without being shown", () => {
    assert.match(refused({ baseUrl: "http://x" }).message, /`apiKey`.*GATEWAY_API_KEY/)
    const { message } = refused({ baseUrl: "http://x", apiKey: "sec ret" })
    assert.match(message, /`apiKey` or GATEWAY_API_KEY/)
    assert.notInclude(message, "sec ret")
    assert.match(refused({ baseUrl: "http://x", apiKey: "k", masterKey: "schlüssel" }).message, /`masterKey`/)
  })

  it("numbers below 0, and what is none, are refused", async () => {
    assert.match(refused({ baseUrl: "http://x", apiKey: "k", timeout: -1 }).message, /`timeout`/)
    assert.match(refused({ baseUrl: "http://x", apiKey: "k", maxRetries: Number.NaN }).message, /`maxRetries`/)
    const error = await failure(gateway().chat.completions.create(hello, { timeout: -5 }))
    assert.instanceOf(error, ConfigurationError)
  })

  it("a header that none can be is refused without being shown", async () => {
    const error = await failure(gateway({ headers: { "x-own": "two\nlines" } }).models.list())
    assert.instanceOf(error, ConfigurationError)
    assert.include((error as Error).message, "x-own")
    assert.notInclude((error as Error).message, "lines")
  })

  it("a header in another spelling takes the place of the client's own", async () => {
    const answer = await gateway().chat.completions.create(hello, {
      headers: { "X-Request-Id": "mine", "Content-Type": "application/json" }
    })
    assert.strictEqual(answer.gateway?.requestId, "mine")
  })
})

describe("a browser", () => {
  const globals = globalThis as { window?: unknown; document?: unknown }

  afterEach(() => {
    delete globals.window
    delete globals.document
  })

  it("is refused, unless that is meant", () => {
    globals.window = {}
    globals.document = {}
    assert.match(refused({ baseUrl: "http://x", apiKey: "k" }).message, /dangerouslyAllowBrowser/)
    assert.strictEqual(
      new Gateway({ baseUrl: "http://x", apiKey: "k", dangerouslyAllowBrowser: true }).baseUrl,
      "http://x"
    )
  })
})

describe("keys", () => {
  it("are in nothing that a logged client or error shows", async () => {
    const apiKey = "mgw_0000scripted_0000000000000000000000000000000000000000000"
    const client = scripted("leak", { apiKey, masterKey: "mk_the-other-secret" })
    const error = await failure(client.chat.completions.create(hello))
    assert.instanceOf(error, AuthenticationError)
    for (const value of [client, client.admin, client.chat.completions, error, { error }]) {
      const said = `${inspect(value, { depth: 20, showHidden: true, getters: true })} ${JSON.stringify(value)} ${String(value)}`
      assert.notInclude(said, apiKey)
      assert.notInclude(said, "mk_the-other-secret")
    }
    assert.include((error as Error).message, "[key]")
  })
})

describe("an option of a call among the fields of a request", () => {
  it("is refused before anything is sent, and says where it belongs", async () => {
    const client = gateway({ fetch: () => Promise.reject(new Error("it was sent")) })
    for (const option of ["timeout", "maxRetries", "signal", "headers", "endUser", "guardrails", "idempotencyKey"]) {
      const body = { ...hello, [option]: 1 }
      const file = new Blob(["x"])
      for (const call of [
        () => client.chat.completions.create(body),
        () => client.chat.completions.stream(body),
        () => client.responses.create({ input: "Hi", [option]: 1 }),
        () => client.audio.transcriptions.create({ model: "m", file, [option]: 1 })
      ]) {
        const error = await failure(call())
        assert.instanceOf(error, ConfigurationError)
        assert.include((error as Error).message, `second argument, \`{ ${option}: … }\``)
      }
    }
  })

  it("is a field where the API has one of that name", async () => {
    const key = await gateway().admin.keys.create({ name: "tagged", tags: ["a"] })
    assert.deepStrictEqual(key.tags, ["a"])
  })
})
