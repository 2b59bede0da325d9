import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const packages = join(import.meta.dirname, "packages")
// Tests run on the sources: nothing has to be built first.
const resolve = { conditions: ["model-gateway-source"] }

/** Runs once before a package's tests, where there is one. */
const setupOf = (name: string): Array<string> =>
  [join(packages, name, "test", "support", "GlobalSetup.ts")].filter((file) => existsSync(file))

/** One project per package that has tests; a new package needs no entry here. */
const projects = readdirSync(packages)
  .filter((name) => existsSync(join(packages, name, "test")))
  .map((name) => ({
    ssr: { resolve },
    resolve,
    test: {
      name,
      root: join(packages, name),
      include: ["test/**/*.test.ts"],
      globalSetup: setupOf(name),
      testTimeout: 30_000
    }
  }))

export default defineConfig({ test: { projects } })
