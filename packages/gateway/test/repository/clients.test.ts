import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { clients } from "../../../../scripts/acceptance/Clients.ts"
import { connected } from "../../../../scripts/acceptance/connect/Connected.ts"
import { tools } from "../../../model-gateway/src/connect/ConnectedTools.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")

const text = readFileSync(join(root, "docs", "clients.md"), "utf8")
/** Name and version of each row. */
const documented = [...text.matchAll(/^\| \[([\w-]+)\][^|]*\| ([\d.]+) \|/gm)].map(
  ([, name, version]) => `${name} ${version}`
)
/** Each tool of `connect`, and what it is tried with. */
const rows = [...text.matchAll(/^\| `([\w-]+)` \|[^|]*\|([^|]*)\|$/gm)]

describe("the clients of the acceptance run", () => {
  it("are those of the documentation, at the same versions", () => {
    assert.deepStrictEqual(
      documented,
      clients.map(({ name, version }) => `${name} ${version}`)
    )
  })

  it("of `connect` are those of the documentation too, one at least for every tool", () => {
    assert.deepStrictEqual(
      rows.map(([, tool]) => tool),
      tools.map(({ name }) => name)
    )
    assert.deepStrictEqual(
      rows.flatMap(([, , tried = ""]) => [...tried.matchAll(/([\w-]+) (\d[\d.]*\d)/g)].map(([words]) => words)),
      connected.map(({ name, version }) => `${name} ${version}`)
    )
  })

  it("are installed at the version that they name", () => {
    for (const { install, name, version } of [...clients, ...connected]) assert.include(install.pins, version, name)
  })

  it("have parts with names of their own", () => {
    for (const { name, parts } of clients) {
      assert.isAbove(parts.length, 0, name)
      assert.strictEqual(new Set(parts).size, parts.length, name)
    }
  })
})
