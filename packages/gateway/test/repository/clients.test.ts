import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { clients } from "../../../../scripts/acceptance/Clients.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")

/** Name and version of each row. */
const documented = [
  ...readFileSync(join(root, "docs", "clients.md"), "utf8").matchAll(/^\| \[([\w-]+)\][^|]*\| ([\d.]+) \|/gm)
].map(([, name, version]) => `${name} ${version}`)

describe("the clients of the acceptance run", () => {
  it("are those of the documentation, at the same versions", () => {
    assert.deepStrictEqual(
      documented,
      clients.map(({ name, version }) => `${name} ${version}`)
    )
  })

  it("are installed at the version that they name", () => {
    for (const { install, name, version } of clients) assert.include(install.pins, version, name)
  })

  it("have parts with names of their own", () => {
    for (const { name, parts } of clients) {
      assert.isAbove(parts.length, 0, name)
      assert.strictEqual(new Set(parts).size, parts.length, name)
    }
  })
})
