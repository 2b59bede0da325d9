import { afterEach, assert, describe, it } from "@effect/vitest"
import { connected, extension, servers } from "../support/Servers.ts"

afterEach(() => {
  delete process.env["GATEWAY_API_KEY"]
  delete process.env["GATEWAY_MASTER_KEY"]
})

describe("connected gateways", () => {
  it("have their keys in the store of secrets alone", async () => {
    const { editor, gateways } = await connected({ isAdministrator: true })
    const secrets = [...editor.stored.values()]
    assert.lengthOf(secrets, 2)
    const written = JSON.stringify([editor.gatewaysSetting, editor.lines, await gateways.connected()])
    for (const secret of secrets) assert.notInclude(written, secret)
    assert.deepStrictEqual(editor.gatewaysSetting, [{ name: "Work", url: servers().url }])
  })

  it("get no key when somebody changes the address in the settings", async () => {
    const { editor, gateways } = await connected()
    editor.gatewaysSetting = [{ name: "Work", url: "https://thief.example.com" }]
    assert.deepStrictEqual(await gateways.connected(), [])
    assert.isUndefined(await gateways.named("Work"))
  })

  it("get no key of the environment, which is for another gateway", async () => {
    process.env["GATEWAY_API_KEY"] = "mgw_of_the_environment"
    process.env["GATEWAY_MASTER_KEY"] = "mk_of_the_environment"
    const { editor, gateways } = extension()
    editor.gatewaysSetting = [{ name: "Work", url: servers().url }]
    assert.deepStrictEqual(await gateways.connected(), [])
    await gateways.add({ name: "Work", url: servers().url }, "mgw_mine")
    const [work] = await gateways.connected()
    assert.isFalse(work?.isAdministrator)
    assert.strictEqual(work?.client.openai().apiKey, "mgw_mine")
    const asked = await work?.client.admin.deployments.list().catch((error: unknown) => error)
    assert.match(String(asked), /master key is missing/)
  })

  it("can be several, and one can change its address", async () => {
    const { gateways } = await connected()
    await gateways.add({ name: "Other", url: "https://other.example.com" }, "mgw_other")
    await gateways.add({ name: "Work", url: "https://moved.example.com" }, "mgw_moved")
    assert.deepStrictEqual(
      (await gateways.connected()).map(({ name, url }) => `${name} ${url}`),
      ["Work https://moved.example.com", "Other https://other.example.com"]
    )
  })

  it("leave no secret when they go, unless another name has the same address", async () => {
    const { editor, gateways } = await connected({ isAdministrator: true })
    await gateways.add({ name: "Twin", url: servers().url }, "mgw_twin")
    await gateways.remove("Work")
    assert.lengthOf([...editor.stored], 2)
    await gateways.remove("Twin")
    assert.lengthOf([...editor.stored], 0)
    assert.deepStrictEqual(editor.gatewaysSetting, [])
  })
})
