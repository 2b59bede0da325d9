import { assert, describe, it } from "@effect/vitest"
import type { Node } from "../../src/tree/Nodes.ts"
import type { Tree } from "../../src/tree/Tree.ts"
import { administrator, connected, extension, newKey, scriptUrl, servers } from "../support/Servers.ts"

const below = async (nodes: ReadonlyArray<Node>, label: string): Promise<ReadonlyArray<Node>> => {
  const found = nodes.find((one) => one.label === label)
  if (found?.children === undefined) throw new Error(`Nothing is below ${label}.`)
  return found.children()
}

const section = async (tree: Tree, label: string) => below(await tree.roots(), label)

describe("the tree", () => {
  it("is empty without a gateway", async () => {
    assert.deepStrictEqual(await extension().tree.roots(), [])
  })

  it("shows what a key may see, and asks for the master key for the rest", async () => {
    const { tree } = await connected({ key: { budgets: [{ usd: 2, window: "month" }] } })
    const roots = await tree.roots()
    assert.deepStrictEqual(
      roots.map(({ kind, label }) => `${kind} ${label}`),
      ["section My key", "noMasterKey Add the master key …"]
    )
    const mine = await below(roots, "My key")
    assert.deepStrictEqual(
      mine.map(({ description, label }) => `${label}: ${description}`),
      ["Today: $0.00", "This month: $0.00", "Budget: $2.00 left of $2.00 a month (0 % used)"]
    )
  })

  it("shows administrators deployments, keys and spend, as the gateway has them", async () => {
    const { tree } = await connected({ isAdministrator: true })
    await newKey({ name: "seen-in-tree", budget_usd: 3 })
    const deployments = await section(tree, "Deployments")
    const { data } = await administrator().admin.deployments.list()
    assert.deepStrictEqual(
      deployments.map(({ subject }) => subject),
      data.map(({ id }) => id)
    )
    const key = (await section(tree, "Keys")).find(({ label }) => label === "seen-in-tree")
    assert.strictEqual(key?.kind, "key")
    assert.strictEqual(key?.description, "$3.00 left")
    const spend = await section(tree, "Spend this month")
    assert.match(spend[0]?.description ?? "", /^\$\d.* requests$/)
  })

  it("says in its place what can't be read", async () => {
    const { gateways, tree } = extension()
    await gateways.add({ name: "Page", url: scriptUrl("html") }, "mgw_key")
    const [trouble] = await section(tree, "My key")
    assert.strictEqual(trouble?.kind, "trouble")
    assert.match(trouble?.label ?? "", /is not a Model Gateway/)
  })

  it("keeps several gateways apart", async () => {
    const { gateways, tree } = await connected()
    await gateways.add({ name: "Twin", url: servers().url }, await newKey())
    const roots = await tree.roots()
    assert.deepStrictEqual(
      roots.map(({ label }) => label),
      ["Work", "Twin"]
    )
    const ids = (await Promise.all(roots.map((root) => below(roots, root.label)))).flat().map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})

describe("the tree's buttons", () => {
  const nodeOf = async (tree: Tree, label: string, name: string): Promise<Node> => {
    const node = (await section(tree, label)).find((one) => one.label === name)
    if (node === undefined) throw new Error(`There is no ${name}.`)
    return node
  }

  it("take a deployment out of rotation when that is meant, and put it back", async () => {
    const { editor, tree, treeCommands } = await connected({ isAdministrator: true }, "no", "yes")
    const before = await nodeOf(tree, "Deployments", "demo/status-503")
    await treeCommands.disable(before)
    assert.strictEqual((await nodeOf(tree, "Deployments", "demo/status-503")).kind, "enabled")
    await treeCommands.disable(before)
    const out = await nodeOf(tree, "Deployments", "demo/status-503")
    assert.strictEqual(out.kind, "disabled")
    assert.include(out.description, "out of rotation")
    await treeCommands.enable(out)
    assert.strictEqual((await nodeOf(tree, "Deployments", "demo/status-503")).kind, "enabled")
    assert.strictEqual(editor.said[0], "Take demo/status-503 out of rotation?")
  })

  it("make a key that is in the clipboard and nowhere else, and revoke it", async () => {
    const { editor, tree, treeCommands } = await connected({ isAdministrator: true }, "ci-from-tree", "7", undefined)
    const keys = (await tree.roots()).find(({ kind }) => kind === "keys")
    assert.isDefined(keys)
    if (keys !== undefined) await treeCommands.createKey(keys)
    const [secret = ""] = editor.copied
    assert.match(secret, /^mgw_/)
    assert.notInclude(JSON.stringify([editor.said, editor.lines, editor.statuses]), secret)
    const made = await nodeOf(tree, "Keys", "ci-from-tree")
    assert.strictEqual(made.description, "$7.00 left")
    editor.replies.push("yes")
    await treeCommands.revokeKey(made)
    assert.strictEqual((await administrator().admin.keys.get(made.subject ?? "")).status, "revoked")
  })

  it("refuse a budget that is none", async () => {
    const { editor, tree, treeCommands } = await connected({ isAdministrator: true }, "x", "-1")
    const keys = (await tree.roots()).find(({ kind }) => kind === "keys")
    if (keys !== undefined) await treeCommands.createKey(keys)
    assert.deepStrictEqual(editor.copied, [])
    assert.match(editor.said[0] ?? "", /an amount in USD above 0/)
  })
})
