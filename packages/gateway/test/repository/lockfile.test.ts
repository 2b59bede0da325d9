import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

interface Entry {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, "..", "..", "..", "..")
const packages: Readonly<Record<string, Entry>> = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8")
).packages

/** The entry that `name` means to the package at `path`: the nearest `node_modules` on the way up. */
const resolve = (path: string, name: string): Entry | undefined => {
  const entry = packages[`${path}${path === "" ? "" : "/"}node_modules/${name}`]
  if (entry !== undefined || path === "") return entry
  return resolve(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name)
}

// Tools with a binary per platform name all of them as optional. An npm that can't find one of those in its registry leaves it
// out of the lock file without a word, and from then on `npm ci` refuses the lock file on every machine.
it("the lock file has every optional dependency, so that npm ci accepts it", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => resolve(path, name) === undefined)
      .map(([name, version]) => `${path} → ${name}@${version}`)
  )
  assert.deepStrictEqual(missing, [])
})
