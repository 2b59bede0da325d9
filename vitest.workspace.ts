import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const packages = join(import.meta.dirname, "packages")
// Tests run on the sources: nothing has to be built first.
const resolve = { conditions: ["model-gateway-source"] }

/** What a package wants beside what all have is in its `test/vitest.json`. */
const ownSettings = (name: string): object => {
  const file = join(packages, name, "test", "vitest.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
}

/** A proof is a test that takes longer than half a minute: `npm run proofs`. */
const kind = process.env["GATEWAY_PROOFS"] === undefined ? "test" : "proof"

/** One project per package that has tests; a new package needs no entry here. */
const projects = readdirSync(packages)
  .filter((name) => existsSync(join(packages, name, "test")))
  .map((name) => ({
    ssr: { resolve },
    resolve,
    test: {
      name,
      root: join(packages, name),
      include: [`test/**/*.${kind}.ts`],
      passWithNoTests: true,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      ...ownSettings(name)
    }
  }))

export default defineConfig({ test: { projects } })
