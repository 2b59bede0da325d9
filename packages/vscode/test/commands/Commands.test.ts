import { assert, describe, it } from "@effect/vitest"
import { tools } from "../../../model-gateway/src/connect/ConnectedTools.ts"
import { targetOf, toolConfigurations } from "../../src/commands/Configurations.ts"
import { model } from "../support/Models.ts"
import { administrator, connected, extension, newKey, servers } from "../support/Servers.ts"

describe("the configurations of other tools", () => {
  for (const tool of toolConfigurations) {
    it(`are, for ${tool.name}, what model-gateway connect prints`, () => {
      const printed = tools.find(({ name }) => name === tool.name)
      assert.isDefined(printed)
      for (const [context, output] of [
        [200_000, 8_000],
        [1_000, 1_000]
      ] as const) {
        for (const name of ["auto", "demo/größer 2", `it's "odd" $HOME\u007f`]) {
          const target = {
            url: "https://gw.example.com/x",
            model: name,
            contextWindow: context,
            maxOutputTokens: output
          }
          const info = model({ model: name, contextWindow: context, maxOutputTokens: output })
          assert.strictEqual(tool.write(targetOf(target.url, info)), printed?.write(target))
        }
      }
    })
  }

  it("are copied without the key, and shown where that is wanted", async () => {
    const { commands, editor } = await connected({}, "Codex", "demo/mini", "Open in Editor")
    await commands.copyConfiguration()
    const [text = ""] = editor.copied
    assert.include(text, `model = "demo/mini"`)
    assert.include(text, `base_url = "${servers().url}/v1"`)
    assert.notInclude(text, "mgw_")
    assert.deepStrictEqual(editor.opened, editor.copied)
    assert.match(editor.said.at(-1) ?? "", /config\.toml; the key stays in the environment variable GATEWAY_API_KEY/)
  })
})

describe("the commands", () => {
  it("connect and say how many models there are", async () => {
    const { commands, editor } = extension(servers().url, await newKey(), "")
    await commands.connect()
    assert.match(editor.said[0] ?? "", /^Local is connected: \d+ models in the chat's model picker\.$/)
  })

  it("test a connection", async () => {
    const { commands, editor } = await connected()
    await commands.test()
    assert.match(editor.said[0] ?? "", /^Work answered in 0 ms: \d+ models for the chat/)
  })

  it("test a connection whose key is refused", async () => {
    const { commands, editor, gateways } = extension()
    const { id, key } = await administrator().admin.keys.create({})
    await gateways.add({ name: "Work", url: servers().url }, key)
    await administrator().admin.keys.revoke(id)
    await commands.test()
    assert.match(editor.said[0] ?? "", /does not know this key: it is mistyped, revoked or expired/)
  })

  it("say what is missing: a gateway, a key, or a setting that can be read", async () => {
    const none = extension()
    await none.commands.test()
    assert.strictEqual(none.editor.said[0], "No gateway is connected.")
    const keyless = extension()
    keyless.editor.gatewaysSetting = [{ name: "Work", url: "https://gw.example.com" }]
    await keyless.commands.openDashboard()
    assert.strictEqual(keyless.editor.said[0], "Work (https://gw.example.com) has no key yet.")
    const odd = extension()
    odd.editor.gatewaysSetting = [{ name: "Work" }]
    await odd.commands.openDashboard()
    assert.match(odd.editor.said[0] ?? "", /modelGateway\.gateways can't be used\. Entry 1: `url` is missing/)
  })

  it("ask which gateway where there are several", async () => {
    const { commands, editor, gateways } = await connected({}, "Twin")
    await gateways.add({ name: "Twin", url: "https://twin.example.com" }, "mgw_twin")
    await commands.openDashboard()
    assert.deepStrictEqual(editor.browsed, ["https://twin.example.com/ui/"])
  })

  it("open the receipt of the last answer, and the dashboard before there is one", async () => {
    const { chat, commands, decisions, editor } = await connected()
    await commands.openReceipt()
    const turns = [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }] as const
    const asked = { turns, tools: [], mustCall: false, options: {}, chosen: {} }
    await chat.answer(model(), asked, () => {}, new AbortController().signal)
    await commands.openReceipt()
    const { url } = servers()
    assert.deepStrictEqual(editor.browsed, [`${url}/ui/`, `${url}/ui/requests/${decisions.last()?.decision.receiptId}`])
  })

  it("disconnect, and forget the key", async () => {
    const { commands, editor } = await connected({}, "Work")
    await commands.disconnect()
    assert.lengthOf([...editor.stored], 0)
    await commands.disconnect()
    assert.strictEqual(editor.said.at(-1), "No gateway is connected.")
  })
})
