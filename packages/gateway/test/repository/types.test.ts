/** One name, one type: a search for the name of a type finds its only declaration. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const src = join(import.meta.dirname, "../../src")

/** Migrations stay as they were released; index files name what others declare. */
const NOT_READ = /\/migrations\/|(?:^|\/)index\.ts$/

/** Names of the types and classes that a file declares at its top level. */
const declaredIn = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      text.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm),
      ([, name]) => name!
    )
  )

describe("the types of the gateway", () => {
  it("have names that no other file of the package declares", () => {
    const files = new Map<string, Array<string>>()
    const read = globSync("**/*.ts", { cwd: src }).filter((file) => !NOT_READ.test(file))
    for (const file of read) {
      for (const name of declaredIn(readFileSync(join(src, file), "utf8"))) {
        files.set(name, [...(files.get(name) ?? []), file])
      }
    }
    assert.isAbove(files.size, 500)
    const shared = [...files].filter(([, where]) => where.length > 1)
    assert.deepStrictEqual(
      shared.map(([name, where]) => `${name}: ${where.join(", ")}`),
      []
    )
  })
})
