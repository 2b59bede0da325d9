import { assert, describe, it } from "@effect/vitest"
import { addMasterKey, connect } from "../../src/gateways/Connect.ts"
import { connected, extension, newKey, scriptUrl, servers } from "../support/Servers.ts"

describe("connecting", () => {
  it("takes address, key and name, and keeps them", async () => {
    const key = await newKey()
    const { editor, gateways } = extension(`${servers().url}/v1/`, ` ${key}\n`, "")
    assert.strictEqual(await connect(editor, gateways), "Local")
    assert.deepStrictEqual(editor.gatewaysSetting, [{ name: "Local", url: servers().url }])
    assert.deepStrictEqual([...editor.stored.values()], [key])
    assert.deepStrictEqual(
      editor.questions.map(({ secret }) => secret === true),
      [false, true, false]
    )
  })

  it("asks again for a key that the gateway does not know, and keeps nothing of it", async () => {
    const key = await newKey()
    const { editor, gateways } = extension(servers().url, "mgw_wrong", key, "Work")
    assert.strictEqual(await connect(editor, gateways), "Work")
    assert.match(editor.questions[2]?.prompt ?? "", /does not know this key: it is mistyped, revoked or expired/)
    assert.deepStrictEqual([...editor.stored.values()], [key])
  })

  it("says that a master key is none for this", async () => {
    const { editor, gateways } = extension(servers().url, servers().masterKey, undefined)
    assert.isUndefined(await connect(editor, gateways))
    assert.match(editor.questions[2]?.prompt ?? "", /takes virtual keys here/)
    assert.lengthOf([...editor.stored], 0)
  })

  it("asks for another address where there is nobody, somebody else, or something else", async () => {
    const html = scriptUrl("html")
    const missing = scriptUrl("html-404")
    const odd = scriptUrl("list")
    const tries = ["http://127.0.0.1:9", html, missing, odd, scriptUrl("redirect")]
    const { editor, gateways } = extension(...tries.flatMap((url) => [url, "mgw_key"]), undefined)
    assert.isUndefined(await connect(editor, gateways))
    const prompts = editor.questions.filter(({ secret }) => secret !== true).map(({ prompt }) => prompt)
    assert.match(prompts[1] ?? "", /No answer from http:\/\/127\.0\.0\.1:9.*Does the gateway run there\?/)
    for (const prompt of prompts.slice(2, 5)) assert.match(prompt, /answers, and is not a Model Gateway/)
    assert.match(prompts[5] ?? "", /sends its callers elsewhere/)
    assert.lengthOf([...editor.stored], 0)
    assert.isUndefined(editor.gatewaysSetting)
  })

  it("refuses an address or a key that can't be one, before anything is sent", async () => {
    const first = extension("gateway.example.com")
    assert.isUndefined(await connect(first.editor, first.gateways))
    assert.match(first.editor.said[0] ?? "", /begins with http/)
    const second = extension(servers().url, "two words")
    assert.isUndefined(await connect(second.editor, second.gateways))
    assert.match(second.editor.said[0] ?? "", /neither spaces/)
  })

  it("gives a gateway that is known a new key and, if it is wanted, a new name", async () => {
    const { editor, gateways } = await connected()
    const key = await newKey()
    editor.replies.push(servers().url, key, "Renamed")
    await connect(editor, gateways)
    assert.deepStrictEqual(editor.gatewaysSetting, [{ name: "Renamed", url: servers().url }])
    assert.deepStrictEqual([...editor.stored.values()], [key])
  })

  it("takes no name twice", async () => {
    const { editor, gateways } = await connected()
    await gateways.add({ name: "Other", url: "https://other.example.com" }, "mgw_other")
    editor.replies.push(servers().url, await newKey(), "Other")
    assert.isUndefined(await connect(editor, gateways))
    assert.strictEqual(editor.said[0], "another gateway has this name")
  })
})

describe("a master key", () => {
  it("is kept when the gateway takes it", async () => {
    const { editor, gateways } = await connected({}, servers().masterKey)
    assert.isTrue(await addMasterKey(editor, gateways, { name: "Work", url: servers().url }))
    assert.isTrue((await gateways.named("Work"))?.isAdministrator)
  })

  it("is not kept when it does not", async () => {
    const { editor, gateways } = await connected({}, "mk_wrong_wrong_wrong")
    assert.isFalse(await addMasterKey(editor, gateways, { name: "Work", url: servers().url }))
    assert.match(editor.said[0] ?? "", /^Work refused the key/)
    assert.isFalse((await gateways.named("Work"))?.isAdministrator)
  })
})
