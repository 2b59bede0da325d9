import { assert, describe, it } from "@effect/vitest"
import type { Asked } from "../../src/chat/Turns.ts"
import { model } from "../support/Models.ts"
import { administrator, connected, extension, newKey, scriptUrl, servers } from "../support/Servers.ts"

const hello: Asked = {
  turns: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
  tools: [],
  mustCall: false,
  options: {},
  chosen: {}
}

describe("the status bar", () => {
  it("offers to connect where there is nothing", async () => {
    const { editor, watch } = extension()
    await watch.refresh()
    assert.strictEqual(editor.statuses.at(-1)?.command, "connect")
    assert.deepStrictEqual(
      [...editor.contexts],
      [
        ["connected", false],
        ["administrator", false]
      ]
    )
  })

  it("follows each answer", async () => {
    const { chat, decisions, editor, watch } = await connected({ key: { budgets: [{ usd: 1, window: "month" }] } })
    await watch.refresh()
    assert.strictEqual(editor.statuses.at(-1)?.text, "$(credit-card) $0.00 · $1.00 left")
    assert.include(editor.statuses.at(-1)?.tooltip, "(Europe/Berlin)")
    await chat.answer(model({ model: "demo/large" }), hello, () => {}, new AbortController().signal)
    await watch.refresh()
    const cost = decisions.last()?.decision.costUsd ?? 0
    assert.isAbove(cost, 0)
    assert.include(editor.statuses.at(-1)?.tooltip, "Last answer: demo/large")
    assert.notInclude(editor.statuses.at(-1)?.text, "$0.00 ")
  })

  it("says what keeps it from knowing", async () => {
    const parts = extension()
    const { id, key } = await administrator().admin.keys.create({})
    await parts.gateways.add({ name: "Work", url: servers().url }, key)
    await administrator().admin.keys.revoke(id)
    await parts.watch.refresh()
    const refused = parts.editor.statuses.at(-1)
    assert.strictEqual(refused?.command, "connect")
    assert.include(refused?.tooltip, "Work refused the key")
    assert.notInclude(refused?.tooltip, key)

    const other = extension()
    await other.gateways.add({ name: "Page", url: scriptUrl("html") }, "mgw_key")
    await other.watch.refresh()
    assert.include(other.editor.statuses.at(-1)?.tooltip, "is not a Model Gateway")
  })

  it("counts days as the gateway does where that does not know this person's", async () => {
    const { editor, watch } = await connected()
    Object.assign(editor, { timeZone: () => "Mars/Olympus" })
    await watch.refresh()
    assert.include(editor.statuses.at(-1)?.tooltip, "(UTC)")
  })

  it("says that secrets can't be read, and reads them when they can", async () => {
    const { editor, watch } = await connected()
    const { get } = editor.secrets
    const locked = { ...editor.secrets, get: () => Promise.reject(new Error("the keyring is locked")) }
    Object.assign(editor, { secrets: locked })
    await watch.refresh()
    assert.include(editor.statuses.at(-1)?.tooltip, "the keyring is locked")
    Object.assign(editor, { secrets: { ...locked, get } })
    await watch.refresh()
    assert.strictEqual(editor.statuses.at(-1)?.text, "$(credit-card) $0.00")
  })

  it("shows the gateway that answered last, and a line of the others", async () => {
    const { chat, editor, gateways, watch } = await connected()
    await gateways.add({ name: "Gone", url: "http://127.0.0.1:9" }, "mgw_gone")
    await gateways.add({ name: "Twin", url: servers().url }, await newKey({ name: "twin" }))
    await chat.answer(model({ gateway: "Twin" }), hello, () => {}, new AbortController().signal)
    await watch.refresh()
    const { tooltip = "" } = editor.statuses.at(-1) ?? {}
    assert.match(tooltip, /^\*\*Twin\*\*/)
    assert.include(tooltip, "Gone: no answer")
    assert.match(tooltip, /Work: today \$0\./)
  })

  it("asks once more, not once for each, when much happens at once", async () => {
    const { editor, gateways, watch } = await connected()
    await watch.refresh()
    const before = editor.statuses.length
    for (let times = 0; times < 20; times++) gateways.changed()
    await watch.refresh()
    assert.strictEqual(editor.statuses.length - before, 2)
  })
})
