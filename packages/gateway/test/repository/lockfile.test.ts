import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

interface Entry {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, "..", "..", "..", "..")

/** The repository's, and that of the documents' site, whose tools only `npm run docs` installs. */
const locks = ["package-lock.json", "site/package-lock.json"]

type Packages = Readonly<Record<string, Entry>>

/** The entry that `name` means to the package at `path`: the nearest `node_modules` on the way up. */
const resolve = (packages: Packages, path: string, name: string): Entry | undefined => {
  const entry = packages[`${path}${path === "" ? "" : "/"}node_modules/${name}`]
  if (entry !== undefined || path === "") return entry
  return resolve(packages, path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name)
}

for (const lock of locks) {
  describe(`the lock file ${lock}`, () => {
    const text = readFileSync(join(root, lock), "utf8")
    const packages: Packages = JSON.parse(text).packages

    // Tools with a binary per platform name all of them as optional. An npm that can't find one of those in its registry leaves it
    // out of the lock file without a word, and from then on `npm ci` refuses the lock file on every machine.
    it("has every optional dependency, so that npm ci accepts it", () => {
      const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
        Object.entries(optionalDependencies)
          .filter(([name]) => resolve(packages, path, name) === undefined)
          .map(([name, version]) => `${path} → ${name}@${version}`)
      )
      assert.deepStrictEqual(missing, [])
    })

    it("names no registry: whoever installs has one", () => assert.notInclude(text, `"resolved": "http`))
  })
}
