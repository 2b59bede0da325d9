/** The key, and what else is secret, shows in nothing that is logged, thrown, traced, cached or stored. */
import { assert, describe, it } from "@effect/vitest"
import { BaseTracer, type Run } from "@langchain/core/tracers/base"
import { load } from "@langchain/core/load"
import { HumanMessage } from "@langchain/core/messages"
import { inspect } from "node:util"
import { ChatGateway, GatewaySpendCallbackHandler } from "../../src/index.ts"
import { foreignServer } from "../support/Foreign.ts"
import { useGateway } from "../support/UseGateway.ts"
import { collect, connect, failure } from "../support/Model.ts"
import { weather } from "../support/Tools.ts"

const gateway = useGateway()

const headers = { "x-team-password": "s3cret-of-the-team" }

/** Everything a program or its tools might print of a value. */
const printed = (value: unknown): string =>
  [
    JSON.stringify(value),
    String(value),
    inspect(value),
    inspect(value, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    value instanceof Error ? `${value.stack} ${JSON.stringify(Object.getOwnPropertyDescriptors(value))}` : ""
  ].join("\n")

const assertHidden = (value: unknown, apiKey: string, what: string) => {
  const text = printed(value)
  for (const secret of [apiKey, headers["x-team-password"]]) assert.isFalse(text.includes(secret), `${what}: ${secret}`)
}

/** What LangSmith is sent of a run, and every other tracer is given. */
class Kept extends BaseTracer {
  name = "kept"
  readonly runs: Array<Run> = []

  protected async persistRun(run: Run): Promise<void> {
    this.runs.push(run)
  }
}

describe("no secret", () => {
  it("in a model, bound and unbound, nor in its serialized form; which still makes a model again", async () => {
    const { apiKey, model } = await connect(gateway(), { headers, temperature: 0.5 })
    for (const one of [model, model.bindTools([weather]), model.withConfig({ tags: ["a"] }), model.pipe((x) => x)]) {
      assertHidden(one, apiKey, one.constructor.name)
    }
    const text = JSON.stringify(model)
    assert.include(text, "GATEWAY_API_KEY")
    const again = await load<ChatGateway>(text, {
      secretsMap: { GATEWAY_API_KEY: apiKey, GATEWAY_BASE_URL: gateway().url },
      importMap: { chat_models__gateway: { ChatGateway } }
    })
    assert.strictEqual(again.temperature, 0.5)
    assert.include((await again.invoke("Hello")).text, "Hello")
  })

  it("in answers, streamed chunks and what adds up costs", async () => {
    const spend = new GatewaySpendCallbackHandler()
    const { apiKey, model } = await connect(gateway(), { headers, callbacks: [spend] })
    assertHidden(await model.invoke("Hello"), apiKey, "message")
    for await (const chunk of await model.stream("Hello")) assertHidden(chunk, apiKey, "chunk")
    assertHidden(spend, apiKey, "spend")
  })

  it("in what tracers get, of successes and of failures", async () => {
    const kept = new Kept()
    const { apiKey, model } = await connect(gateway(), { headers, callbacks: [kept], cache: false })
    await model.bindTools([weather]).invoke([new HumanMessage("Use get_weather for Lisbon")])
    await failure(model.invoke("Hello", { model: "no-such-model" } as object))
    const broken = new ChatGateway({ apiKey, baseUrl: gateway().url, model: "demo/cut-6", headers, callbacks: [kept] })
    await failure(
      broken.stream("Hello").then(async (stream) => {
        for await (const chunk of stream) void chunk
      })
    )
    assert.isAtLeast(kept.runs.length, 2)
    assertHidden(kept.runs, apiKey, "runs")
  })

  it("in errors of the gateway", async () => {
    for (const model of ["no-such-model", "demo/status-500", "demo/cut-6"]) {
      const { apiKey, model: chat } = await connect(gateway(), { headers, model, maxRetries: 0 })
      assertHidden(await failure(chat.invoke("Hello")), apiKey, model)
    }
    const { model } = await connect(gateway(), { headers, apiKey: "mgw_wrong_but_secret" })
    assertHidden(await failure(model.invoke("Hello")), "mgw_wrong_but_secret", "401")
  })

  it("in errors about a server that repeats what it was sent", async () => {
    const apiKey = "mgw_repeated_and_secret"
    const json = (words: string) => JSON.stringify({ error: { message: words, type: words, code: words } })
    const answers: ReadonlyArray<readonly [number, string, (words: string) => string]> = [
      [200, "text/plain", String],
      [200, "application/json", json],
      [200, "text/event-stream", (words) => `data: ${json(words)}\n\n`],
      [200, "text/event-stream", (words) => `data: ${words}\n\n`],
      [401, "application/json", json],
      [500, "text/plain", String],
      [502, "text/html", (words) => `<html>${words}</html>`]
    ]
    for (const [status, type, body] of answers) {
      await using server = await foreignServer((request, response) => {
        response.writeHead(status, { "content-type": type })
        response.end(body(`You sent ${request.headers.authorization}`))
      })
      const model = new ChatGateway({ apiKey, baseUrl: server.url, maxRetries: 0 })
      for (const call of [() => model.invoke("Hello"), () => model.stream("Hello").then(collect)]) {
        assertHidden(await failure(call()), apiKey, `${status} ${type}`)
      }
    }
  })

  it("in errors about a gateway that is not there", async () => {
    const apiKey = "mgw_unreachable_and_secret"
    const model = new ChatGateway({ apiKey, baseUrl: "http://127.0.0.1:9", maxRetries: 0, headers })
    assertHidden(await failure(model.invoke("Hello")), apiKey, "connection")
  })

  it("in errors about options that are wrong", () => {
    const wrong: ReadonlyArray<object> = [
      { apiKey: "mgw_with a space", baseUrl: "http://127.0.0.1:9" },
      { apiKey: "mgw_with\nline", baseUrl: "http://127.0.0.1:9" },
      { apiKey: "mgw_with", baseUrl: "http://user:mgw_with@127.0.0.1:9" },
      { apiKey: "mgw_with", baseUrl: "mgw_with" }
    ]
    for (const fields of wrong) {
      let error: unknown
      try {
        error = new ChatGateway(fields)
      } catch (thrown) {
        error = thrown
      }
      assert.instanceOf(error, Error)
      assertHidden(error, "mgw_with", JSON.stringify(fields))
    }
  })
})
