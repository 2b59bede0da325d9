/** Answers that no gateway would give. */
import { assert, describe, it } from "@effect/vitest"
import { ContextOverflowError, LangChainError } from "@langchain/core/errors"
import { ChatGateway, GatewayBudgetError, GatewayError, gatewayDecision, GatewayRateLimitError } from "../src/index.ts"
import { pass, useClock } from "./support/Clock.ts"
import { counted } from "./support/Counted.ts"
import { collect, failure, usageOf } from "./support/Model.ts"
import { breakOff, serving } from "./support/Sse.ts"

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  serving((_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(body))
  })

const html = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  serving((_request, response) => {
    response.writeHead(status, { "content-type": "text/html", ...headers })
    response.end("<!doctype html>\n<html><body>It works!</body></html>")
  })

describe("a server that is not the gateway", () => {
  it("answers, without a decision", async () => {
    await using server = await json(200, { id: "1", model: "m", choices: [{ message: { content: "Hi" } }] })
    const message = await server.model().invoke("hi")
    assert.strictEqual(message.text, "Hi")
    assert.isUndefined(gatewayDecision(message))
  })

  for (const status of [200, 502]) {
    it(`that answers ${status} with a page: the error says so, and what may be wrong`, async () => {
      await using server = await html(status)
      for (const call of [server.model().invoke("hi"), server.model().stream("hi").then(collect)]) {
        const error = await failure(call)
        for (const word of ["HTML", "It works!", "baseUrl", `${status}`]) assert.include(error.message, word)
        assert.isTrue(GatewayError.isInstance(error))
      }
    })
  }

  it("that refuses with a page is an error of the same class as the gateway's, asked again as often", async () => {
    for (const [status, name, calls] of [
      [401, "GatewayAuthenticationError", 1],
      [403, "GatewayPermissionError", 1],
      [429, "GatewayRateLimitError", 2]
    ] as const) {
      await using server = await html(status, { "retry-after": "0" })
      assert.strictEqual((await failure(server.model({ maxRetries: 1 }).invoke("hi"))).name, name)
      assert.strictEqual(server.calls(), calls)
    }
  })

  it("that answers without a message is an error", async () => {
    for (const body of [{}, { choices: [] }, { choices: [{}] }, { choices: [{ message: null }] }]) {
      await using server = await json(200, body)
      for (const call of [server.model().invoke("hi"), server.model().stream("hi").then(collect)]) {
        assert.include((await failure(call)).message, "`choices`")
      }
    }
  })

  it("that sends its callers elsewhere is an error with that address; nobody goes there with the key", async () => {
    await using elsewhere = await json(200, { choices: [{ message: { content: "Caught" } }] })
    for (const [status, location] of [
      [302, elsewhere.model().baseUrl],
      [308, elsewhere.model().baseUrl],
      [307, undefined]
    ] as const) {
      await using server = await json(
        status,
        {},
        location === undefined ? {} : { location: `${location}/chat/completions` }
      )
      for (const call of [server.model({ maxRetries: 3 }).invoke("hi"), server.model().stream("hi").then(collect)]) {
        const error = await failure(call)
        assert.isTrue(GatewayError.isInstance(error))
        for (const word of [`${status}`, "`baseUrl`", ...(location === undefined ? [] : [`${location}.`])]) {
          assert.include(error.message, word)
        }
      }
      assert.strictEqual(server.calls(), 2)
    }
    assert.strictEqual(elsewhere.calls(), 0)
  })

  it("that does not count says 0, and what its model has looked up is kept", async () => {
    const annotations = [{ type: "url_citation", url_citation: { url: "https://example.com", title: "Example" } }]
    const details = {
      prompt_tokens_details: { cached_tokens: null },
      completion_tokens_details: { audio_tokens: null }
    }
    const usage = { prompt_tokens: null, completion_tokens: 3, total_tokens: null, ...details }
    await using server = await json(200, { choices: [{ message: { content: "Hi", annotations } }], usage })
    for (const message of [
      await server.model().invoke("hi"),
      (await collect(await server.model().stream("hi"))).whole
    ]) {
      const none = { input_token_details: {}, output_token_details: {} }
      assert.deepStrictEqual(usageOf(message), { input_tokens: 0, output_tokens: 3, total_tokens: 3, ...none })
      assert.deepStrictEqual(message.additional_kwargs["annotations"], annotations)
    }
  })

  describe("that has begun its answer is not asked again", () => {
    useClock()

    for (const [what, name, words] of [
      ["breaks off", "GatewayConnectionError", "broke off"],
      ["falls silent", "GatewayTimeoutError", "60000 ms"]
    ] as const) {
      it(`and ${what}`, async () => {
        await using server = await serving((_request, response) => {
          response.writeHead(200, { "content-type": "application/json" }).write('{"choices":')
          if (what === "breaks off") void breakOff(response)
        })
        const { answered, fetch } = counted()
        const answer = failure(server.model({ maxRetries: 2, timeout: 60_000, fetch }).invoke("hi"))
        await answered(200)
        if (what === "falls silent") await pass(60_000)
        const error = await answer
        assert.strictEqual(error.name, name)
        assert.include(error.message, words)
        assert.strictEqual(server.calls(), 1)
      })
    }
  })

  it("that is not there is an error that names the address", async () => {
    const model = new ChatGateway({ apiKey: "mgw_x", baseUrl: "http://127.0.0.1:9", maxRetries: 0 })
    const error = await failure(model.invoke("hi"))
    assert.strictEqual(error.name, "GatewayConnectionError")
    assert.include(error.message, "http://127.0.0.1:9/v1")
  })

  it("whose tool calls can't be read gives them as invalid ones", async () => {
    const calls = [
      { id: "1", function: { name: "f", arguments: "{a:" } },
      { id: "2", function: { name: "f", arguments: "" } },
      { id: null, function: { name: null, arguments: null } }
    ]
    await using server = await json(200, { choices: [{ message: { content: null, tool_calls: calls } }] })
    const message = await server.model().invoke("hi")
    assert.deepStrictEqual(
      message.invalid_tool_calls?.map(({ args, id }) => [id, args]),
      [["1", "{a:"]]
    )
    assert.deepStrictEqual(
      message.tool_calls?.map(({ args, name }) => [name, args]),
      [
        ["f", {}],
        ["", {}]
      ]
    )
  })
})

describe("errors", () => {
  const limit = { type: "rate_limit_exceeded", code: "rate_limit_exceeded", message: "Slow down.", kind: "tpm" }

  it("are LangChain's, and say what the gateway said", async () => {
    const subject = { scope: "end_user", subject: "ann", models: ["openai/gpt-5*"] }
    const detail = { ...limit, ...subject, retry_after_seconds: 90, limit: 10, used: 12, resets_at: "2026-01-01" }
    await using server = await json(429, { error: detail }, { "retry-after": "90", "x-request-id": "req_1" })
    const error = (await failure(server.model({ maxRetries: 2 }).invoke("hi"))) as GatewayRateLimitError
    assert.isTrue(GatewayRateLimitError.isInstance(error))
    assert.isFalse(GatewayBudgetError.isInstance(error))
    assert.isTrue(LangChainError.isInstance(error))
    assert.deepInclude(error, { status: 429, kind: "tpm", retryAfterSeconds: 90, limit: 10, used: 12, ...subject })
    assert.strictEqual(error.requestId, "req_1")
    // Longer than anybody waits.
    assert.strictEqual(server.calls(), 1)
  })

  for (const [what, status, headers, calls] of [
    ["a 500", 500, { "retry-after-ms": "5" }, 3],
    ["a 500 that asks for no retry", 500, { "x-should-retry": "false" }, 1],
    ["a 429 with a short wait", 429, { "retry-after": "0" }, 3],
    ["a 429 that asks for no retry", 429, { "retry-after": "0", "x-should-retry": "false" }, 1],
    ["a 400", 400, {}, 1],
    ["a 404", 404, {}, 1],
    ["a 422", 422, {}, 1]
  ] as const) {
    it(`${what} is asked ${calls} times`, async () => {
      await using server = await json(status, { error: { message: "No." } }, headers)
      const error = await failure(server.model({ maxRetries: 2 }).invoke("hi"))
      assert.strictEqual(error.message, "No.")
      assert.strictEqual(server.calls(), calls)
    })
  }

  it("of a request that is too long are LangChain's own, with the gateway's inside", async () => {
    await using server = await json(400, { error: { message: "Too long.", code: "context_length_exceeded" } })
    const error = await failure(server.model().invoke("hi"))
    assert.isTrue(ContextOverflowError.isInstance(error))
    assert.deepInclude(error.cause, { status: 400, code: "context_length_exceeded" })
  })

  it("in a 200 are errors", async () => {
    await using server = await json(200, { error: { message: "Sorry.", code: "x" } })
    assert.strictEqual((await failure(server.model().invoke("hi"))).message, "Sorry.")
    assert.include((await failure(server.model().stream("hi").then(collect))).message, "Sorry.")
  })

  it("of a stream's head are tried again; the stream itself is not", async () => {
    await using server = await serving((_request, response, call) => {
      if (call === 1)
        return response.writeHead(503, { "content-type": "text/plain", "retry-after-ms": "5" }).end("wait")
      response.writeHead(200, { "content-type": "text/event-stream" })
      return response.end('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    })
    const { whole } = await collect(await server.model({ maxRetries: 2 }).stream("hi"))
    assert.strictEqual(whole.text, "Hi")
    assert.strictEqual(server.calls(), 2)
  })
})
