/** Providers that fail, behind the real gateway: what a caller sees of it, how often it is asked again, what it costs. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChatGatewayFields,
  GatewayError,
  GatewayRateLimitError,
  GatewayTimeoutError,
  StreamInterruptedError
} from "../../src/index.ts"
import { nano } from "../support/Gateway.ts"
import { useGateway } from "../support/UseGateway.ts"
import { counted, reaching } from "../support/Counted.ts"
import { collect, connect, decisionOf, failure } from "../support/Model.ts"

const gateway = useGateway()

const read = async (stream: Promise<AsyncIterable<never>>) => {
  for await (const chunk of await stream) void chunk
}

describe("a provider that fails at first", () => {
  it("the gateway asks again: the decision says how often, the caller notices nothing", async () => {
    const { fetch, calls } = counted()
    const { keyId, model } = await connect(gateway(), { model: "demo/flaky-1", fetch })
    const message = await model.invoke("Plain: try again")
    assert.strictEqual(decisionOf(message).retries, 1)
    const { whole } = await collect(await model.stream("Streamed: try again"))
    assert.strictEqual(decisionOf(whole).retries, 1)
    assert.strictEqual(calls(), 2)
    for (const receipt of await gateway().receipts(keyId, 2)) {
      assert.deepStrictEqual(
        receipt.attempts.map(({ outcome }) => outcome),
        ["unavailable", "ok"]
      )
    }
  })

  it("another deployment takes over: the decision names the one that answered", async () => {
    const { model } = await connect(gateway(), { model: "failover" })
    const decision = decisionOf(await model.invoke("Hello"))
    assert.deepInclude(decision, { deployment: "demo/mini", provider: "demo", model: "mini", retries: 1 })
  })
})

describe("a provider that breaks off", () => {
  it("a stream throws, with what had arrived; it is not asked again", async () => {
    const { fetch, calls } = counted()
    const { keyId, model } = await connect(gateway(), { model: "demo/cut-6", fetch })
    const seen: Array<string> = []
    const reading = async () => {
      for await (const chunk of await model.stream("Hello")) seen.push(chunk.text)
    }
    const error = await failure(reading())
    assert.isTrue(StreamInterruptedError.isInstance(error))
    assert(StreamInterruptedError.isInstance(error))
    const said = seen.join("")
    assert.match(said, /^Hello! I am/)
    assert.strictEqual(error.text, said)
    assert.strictEqual(error.partial?.text, said)
    assert.strictEqual(error.decision?.deployment, "demo/cut-6")
    assert.strictEqual(calls(), 1)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.strictEqual(receipt?.status, "cut")
    assert.isFalse(error.decision?.costIsFinal)
    assert.isAtLeast(nano(error.decision?.costUsd), nano(receipt?.cost_usd))
  })

  it("invoke of a streaming model throws just the same", async () => {
    const { model } = await connect(gateway(), { model: "demo/cut-6", streaming: true })
    const error = await failure(model.invoke("Hello"))
    assert(StreamInterruptedError.isInstance(error))
    assert.match(error.text, /^Hello! I am/)
  })

  it("a plain answer is a 502, and is not asked for again: the gateway has tried already", async () => {
    const { fetch, calls } = counted()
    const { model } = await connect(gateway(), { model: "demo/cut-6", fetch })
    const error = await failure(model.invoke("Hello"))
    assert(GatewayError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 502, code: "upstream_unavailable" })
    assert.strictEqual(calls(), 1)
  })
})

describe("a provider that never answers", () => {
  /** A model whose calls are given up only when they are underway at the gateway. */
  const connectHanging = async (fields: ChatGatewayFields) => {
    const { fetch, calls } = counted()
    const arrived = (): Promise<void> => gateway().underway(connected.keyId, 1)
    const connected = await connect(gateway(), { model: "demo/hang", fetch: reaching(fetch, arrived), ...fields })
    return { ...connected, calls }
  }

  it("the caller's abort ends the call, at the gateway too", async () => {
    const { keyId, model } = await connect(gateway(), { model: "demo/hang" })
    const controller = new AbortController()
    const call = failure(model.invoke("Hello", { signal: controller.signal }))
    await gateway().underway(keyId, 1)
    controller.abort()
    assert.match((await call).name, /Abort/)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.strictEqual(receipt?.status, "client_gone")
    assert.isTrue((await gateway().ledger(keyId)).every(({ status }) => status !== "reserved"))
  })

  it("the model's timeout ends it with an error that names the option; what was sent is not asked again", async () => {
    const { calls, keyId, model } = await connectHanging({ timeout: 60 })
    for (const call of [() => model.invoke("Hello"), () => read(model.stream("Hello") as never)]) {
      const error = await failure(call())
      assert(GatewayTimeoutError.isInstance(error))
      assert.include(error.message, "60 ms")
      await gateway().ledger(keyId, calls())
    }
    assert.strictEqual(calls(), 2)
    const receipts = await gateway().receipts(keyId, 2)
    assert.deepStrictEqual(
      receipts.map(({ status }) => status),
      ["client_gone", "client_gone"]
    )
  })

  it("the timeout of one call ends that call", async () => {
    const { keyId, model } = await connectHanging({ maxRetries: 0 })
    const error = await failure(model.invoke("Hello", { timeout: 60 }))
    assert.match(error.name, /Timeout|Abort/)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.strictEqual(receipt?.status, "client_gone")
  })

  it("a slow one is waited for", async () => {
    const { model } = await connect(gateway(), { model: "demo/slow-300", timeout: 20_000 })
    assert.include((await model.invoke("Hello")).text, "slow-300")
  })
})

describe("a provider that refuses", () => {
  const refusals = [
    ["demo/status-401", 502, "upstream_auth"],
    ["demo/status-402", 503, "upstream_quota"],
    ["demo/status-500", 502, "upstream_unavailable"],
    ["demo/status-503", 503, "upstream_unavailable"],
    ["demo/garbage", 502, "upstream_unavailable"]
  ] as const

  for (const [name, status, code] of refusals) {
    it(`${name}: ${status} ${code}, once, invoked and streamed`, async () => {
      const { fetch, calls } = counted()
      const { model } = await connect(gateway(), { model: name, fetch })
      for (const call of [() => model.invoke("Hello"), () => read(model.stream("Hello") as never)]) {
        const error = await failure(call())
        assert(GatewayError.isInstance(error))
        assert.deepInclude({ ...error }, { status, code, type: "upstream_error" })
        assert.match(error.requestId ?? "", /^req_/)
      }
      assert.strictEqual(calls(), 2)
    })
  }

  it("demo/status-429: a rate limit of kind upstream, with a wait that is short enough to ask again after it", async () => {
    const { fetch, calls } = counted()
    const { model } = await connect(gateway(), { model: "demo/status-429", fetch })
    const error = await failure(model.invoke("Hello"))
    assert(GatewayRateLimitError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 429, kind: "upstream", retryAfterSeconds: 1 })
    assert.strictEqual(calls(), 3)
  })
})
