import { assert, describe, it } from "@effect/vitest"
import { effortBits, holds, optionBits } from "../../../src/core/operations/RequestFeatures.ts"
import { routesOf, testOf } from "../../../src/providers/catalogue/CompileRules.ts"

const tools = [{ type: "function", function: { name: "f" } }]
const asking = (effort?: string, fields: object = { tools }) => optionBits({ ...fields }) | effortBits(effort)

/** Whether `tools` and `reasons` hold of requests with tools and these efforts. */
const thinks = (reasoning: Parameters<typeof testOf>[1], ...efforts: ReadonlyArray<string | undefined>) =>
  efforts.map((effort) => holds(asking(effort), testOf(["tools", "reasons"], reasoning)!))

describe("a rule's condition", () => {
  it("`reasons` follows from the effort that is named, the default and whether the model can rest", () => {
    const restsByDefault = { efforts: ["none", "low", "high"], default: "none" } as const
    assert.deepStrictEqual(thinks(restsByDefault, undefined, "none", "low", "unheard-of"), [false, false, true, true])
    const canRest = { efforts: ["none", "low", "high"], default: "low" } as const
    assert.deepStrictEqual(thinks(canRest, undefined, "none", "low"), [true, false, true])
    const always = { efforts: ["low", "high"], off: "refused" } as const
    assert.deepStrictEqual(thinks(always, undefined, "none", "low"), [true, true, true])
    assert.isUndefined(testOf(["reasons"], { mode: "none" }))
  })

  it("holds where all features are present and none that it negates", () => {
    const test = testOf(["tools", "!stream", "!tools:forced"])!
    assert.isTrue(holds(asking(), test))
    assert.isFalse(holds(asking(undefined, { tools, stream: true }), test))
    assert.isFalse(holds(asking(undefined, { tools, tool_choice: { type: "any" } }), test))
    assert.isFalse(holds(asking(undefined, { tools: [] }), test))
  })

  it("that names a feature that requests are not searched for never holds", () => {
    assert.isUndefined(testOf(["tools", "telepathy"]))
    assert.isUndefined(testOf(["tools", "!tools"]))
  })
})

describe("the routes of a model", () => {
  const rules = [{ in: ["chat"], when: ["tools"], use: "responses" }]

  it("lead from an operation that the deployment has to another that it has", () => {
    const [route] = routesOf({ rules }, new Set(["chat", "responses"])) ?? []
    assert.deepInclude(route, { in: "chat", use: "responses", why: "tools" })
    assert.isUndefined(routesOf({ rules }, new Set(["chat"])))
    assert.isUndefined(routesOf({ rules }, new Set(["responses"])))
    assert.isUndefined(routesOf({ rules }, undefined))
  })
})
