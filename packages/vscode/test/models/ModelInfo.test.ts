import type { Model, ModelList } from "@model-gateway/client"
import { assert, describe, it } from "@effect/vitest"
import { NotTheGateway } from "../../src/gateways/Trouble.ts"
import { modelInfos } from "../../src/models/ModelInfo.ts"

type Known = Model["gateway"]

const listed = (id: string, gateway: Partial<Known> = {}, parameters: ReadonlyArray<string> = []): Model => ({
  id,
  object: "model",
  created: 1,
  owned_by: "demo",
  name: id,
  context_length: null,
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  pricing: null,
  supported_parameters: parameters,
  gateway: {
    kind: "deployment",
    bucket: null,
    deployments: [id],
    context_window: 100_000,
    max_output_tokens: 4_000,
    price: { input: 2.5, cached_input: 0, output: 10 },
    operations: ["chat"],
    modalities: ["text"],
    health: "ok",
    ...gateway
  }
})

const infoOf = (model: Model, among = 1) => {
  const [info] = modelInfos("Work", { object: "list", data: [model], models: [] }, among)
  if (info === undefined) throw new Error("There is none.")
  return info
}

describe("a model in the picker", () => {
  it("has its price, its size and what it can do", () => {
    const info = infoOf(listed("a/b", { modalities: ["text", "image"] }, ["tools"]))
    assert.strictEqual(info.id, "Work/a/b")
    assert.strictEqual(info.detail, "$2.50 in, $10 out per 1M tokens")
    assert.strictEqual(info.maxInputTokens, 96_000)
    assert.strictEqual(info.maxOutputTokens, 4_000)
    assert.isTrue(info.imageInput)
    assert.isTrue(info.toolCalling)
  })

  it("whose price nobody knows says so, and never 0", () => {
    assert.strictEqual(infoOf(listed("a/b", { price: null })).pricing, "price unknown")
    const otherwise = { input: null, cached_input: null, output: null, images: 0.04 }
    assert.strictEqual(infoOf(listed("a/b", { price: otherwise })).pricing, "not billed by the token")
  })

  it("whose size nobody knows has a usual one; one of nothing but output leaves room to ask", () => {
    const unknown = infoOf(listed("a/b", { context_window: null, max_output_tokens: null }))
    assert.strictEqual(unknown.maxInputTokens + unknown.maxOutputTokens, 128_000)
    const small = infoOf(listed("a/b", { context_window: 1_000, max_output_tokens: 4_000 }))
    assert.strictEqual(small.maxOutputTokens, 1_000)
    assert.strictEqual(small.maxInputTokens, 1)
  })

  it("is told apart by the gateway where there are several", () => {
    assert.strictEqual(infoOf(listed("a/b")).name, "a/b")
    assert.strictEqual(infoOf(listed("a/b"), 2).name, "a/b (Work)")
    assert.strictEqual(infoOf(listed("auto", { kind: "auto" })).name, "Auto (Work)")
  })

  it("can be told how to route, or how long to think, where that means something", () => {
    const choices = (model: Model) => infoOf(model).choices.map(({ name }) => name)
    assert.deepStrictEqual(choices(listed("a/b")), [])
    assert.deepStrictEqual(choices(listed("a/b", {}, ["reasoning_effort"])), ["reasoningEffort"])
    assert.deepStrictEqual(choices(listed("auto", { kind: "auto" })), ["routing"])
  })

  it("warns when nothing serves it", () => {
    assert.isUndefined(infoOf(listed("a/b")).warning)
    assert.match(infoOf(listed("a/b", { health: "unavailable" })).warning ?? "", /None of its deployments/)
  })
})

describe("a list", () => {
  it("leaves out what does not chat", () => {
    const list: ModelList = { object: "list", models: [], data: [listed("a/e", { operations: ["embeddings"] })] }
    assert.deepStrictEqual(modelInfos("Work", list, 1), [])
  })

  it("of another server is none of the gateway's", () => {
    const { gateway: _, ...foreign } = listed("gpt-5")
    for (const data of [[foreign], [null], "models", { a: 1 }, [{ ...foreign, gateway: { operations: ["chat"] } }]]) {
      const list: ModelList = JSON.parse(JSON.stringify({ object: "list", data }))
      assert.throws(() => modelInfos("Work", list, 1), NotTheGateway)
    }
  })
})
