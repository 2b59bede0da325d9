import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { checkImports, formatViolation, readSources } from "../../../../scripts/check-imports.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")

/** The violations of one file of the given text, as `line: message`. */
const check = (path: string, text: string): ReadonlyArray<string> =>
  checkImports([{ path: `packages/${path}`, text }]).map(({ line, message }) => `${line}: ${message}`)

const assertOne = (found: ReadonlyArray<string>, expected: RegExp): void => {
  assert.strictEqual(found.length, 1, found.join("\n"))
  assert.match(found[0] ?? "", expected)
}

describe("the sources of all packages", () => {
  it("keep the import rules", () => {
    const sources = readSources(root)
    assert.isAbove(sources.length, 0)
    assert.deepStrictEqual(checkImports(sources).map(formatViolation), [])
  })
})

describe("a folder's imports", () => {
  it("core knows no other folder", () => {
    assertOne(
      check("gateway/src/core/domain/A.ts", `\nimport { B } from "../../storage/B.ts"`),
      /^2: imports storage: core may/
    )
  })

  it("core knows no HTTP server, no SQL and no connection", () => {
    for (const name of ["effect/http/HttpServer", "effect/sql", "@effect/platform-node", "undici", "node:sqlite"]) {
      assertOne(check("gateway/src/core/domain/A.ts", `import { B } from "${name}"`), /imports .*: core may/)
    }
  })

  it("the gateway imports no more than types of node:http", () => {
    assertOne(check("gateway/src/http/X.ts", `import { Agent } from "node:http"`), /imports node:http: take its values/)
    assertOne(check("gateway/src/http/X.ts", `import * as http from "node:http"`), /imports node:http: take its values/)
    const types = `import type { Agent } from "node:http"\nimport { type Server } from "node:http"`
    assert.deepStrictEqual(check("gateway/src/http/X.ts", types), [])
    assert.deepStrictEqual(check("conformance/src/X.ts", `import { createServer } from "node:http"`), [])
  })

  it("the outer folders know core and protocol", () => {
    for (const folder of ["classifier", "providers", "storage", "http", "config"]) {
      const text = `import { A } from "../core/A.ts"
        import { B } from "./B.ts"
        import { C } from "@model-gateway/protocol"
        import { Effect } from "effect"`
      assert.deepStrictEqual(check(`gateway/src/${folder}/X.ts`, text), [])
    }
  })

  it("the outer folders never know each other, however it is written", () => {
    for (const text of [
      `import { A } from "../storage/A.ts"`,
      `import type { A } from "../storage/A.ts"`,
      `import "../storage/A.ts"`,
      `export { A } from "../storage/A.ts"`,
      `export * from "../storage/A.ts"`,
      `const a = await import("../storage/A.ts")`,
      `type A = import("../storage/A.ts").A`,
      `import { A } from "../storage/A.ts"`
    ]) {
      assertOne(check("gateway/src/providers/X.ts", text), /imports storage: a folder may import core/)
    }
  })

  it("no folder knows the composition root, and no file of the gateway the command", () => {
    assertOne(check("gateway/src/http/X.ts", `import { S } from "../Server.ts"`), /imports Server\.ts/)
    assertOne(
      check("gateway/src/http/X.ts", `import { S } from "@model-gateway/model-gateway/main"`),
      /imports @model-gateway\/model-gateway/
    )
  })

  it("testing and the files in src may use every folder", () => {
    const imports = (up: string) =>
      ["core", "http", "storage"].map((folder) => `import "${up}${folder}/A.ts"`).join("\n")
    assert.deepStrictEqual(check("gateway/src/Server.ts", imports("./")), [])
    assert.deepStrictEqual(check("gateway/src/testing/TestGateway.ts", imports("../")), [])
  })

  it("protocol imports effect and nothing else", () => {
    assert.deepStrictEqual(check("protocol/src/A.ts", `import { Schema } from "effect"\nimport "effect/http-api"`), [])
    assertOne(check("protocol/src/A.ts", `import { readFileSync } from "node:fs"`), /protocol may import effect only/)
    assertOne(check("protocol/src/A.ts", `import "@model-gateway/gateway"`), /protocol may import effect only/)
  })

  it("client and langchain know the gateway by its wire format", () => {
    for (const name of ["@model-gateway/protocol", "@model-gateway/gateway", "@model-gateway/gateway/testing"]) {
      assertOne(check("client/src/index.ts", `import "${name}"`), /by its wire format only/)
      assertOne(check("langchain/src/index.ts", `import "${name}"`), /by its wire format only/)
    }
  })

  it("packages are imported by name and by their exports", () => {
    assertOne(
      check("gateway/src/core/domain/A.ts", `import "../../../../protocol/src/A.ts"`),
      /own src may be imported by path/
    )
    assertOne(check("gateway/src/core/domain/A.ts", `import "@model-gateway/protocol/src/A.ts"`), /core may/)
  })

  it("the command and its packages know the gateway by its sources, and the gateway knows none of them", () => {
    const money = `import { A } from "@model-gateway/gateway/internal/core/domain/Money"`
    for (const name of ["model-gateway", "import-litellm", "router-lab"]) {
      assert.deepStrictEqual(check(`${name}/src/keys/A.ts`, money), [])
      assertOne(check(`${name}/src/keys/A.ts`, `import { A } from "@model-gateway/client"`), /only protocol, gateway/)
    }
    const lab = `import { A } from "@model-gateway/router-lab/training/Learn"`
    assert.deepStrictEqual(check("model-gateway/src/router/A.ts", lab), [])
    assertOne(check("import-litellm/src/keys/A.ts", lab), /only protocol, gateway/)
    assertOne(check("gateway/src/classifier/A.ts", lab), /never another folder/)
  })

  it("a folder without a rule is an error", () => {
    assertOne(check("gateway/src/attic/A.ts", ""), /no import rule for gateway\/src\/attic/)
    assertOne(check("attic/src/A.ts", ""), /no import rule for attic\/src/)
  })
})

describe("barrels", () => {
  it("are refused below a package's index.ts", () => {
    assertOne(check("gateway/src/core/domain/index.ts", `export * from "./A.ts"`), /re-exports below/)
    assertOne(check("gateway/src/core/domain/index.ts", `export { A } from "./A.ts"`), /re-exports below/)
    assertOne(
      check("gateway/src/core/domain/index.ts", `import { A } from "./A.ts"\nexport { A }`),
      /^2: re-exports below/
    )
  })

  it("are what the exported entries are for", () => {
    assert.deepStrictEqual(check("gateway/src/index.ts", `export * from "./core/A.ts"`), [])
    assert.deepStrictEqual(check("gateway/src/testing/index.ts", `export * from "./A.ts"`), [])
  })
})

describe("clock, chance, environment and console", () => {
  const forbidden: ReadonlyArray<readonly [text: string, expected: RegExp]> = [
    ["export const a = process.env.HOME", /^1: process\.env/],
    [`export const a = process["env"]`, /^1: process\.env/],
    ["const { env } = process", /^1: process\.env/],
    [`import { env } from "node:process"`, /^1: process\.env/],
    [`\n\nconsole.log("x")`, /^3: console/],
    ["globalThis.console.log(1)", /^1: console/],
    ["const { log } = console", /^1: console/],
    ["export const a = Date.now()", /^1: Date\.now/],
    ["export const a = { now: Date.now }", /^1: Date\.now/],
    ["export const a = new Date()", /^1: new Date\(\)/],
    ["export const a = Date()", /^1: new Date\(\)/],
    ["export const a = Math.random()", /^1: Math\.random/],
    ["setTimeout(() => {}, 1)", /^1: setTimeout/],
    ["globalThis.setInterval(() => {}, 1)", /^1: setInterval/],
    [`import { setTimeout as sleep } from "node:timers/promises"`, /imports node:timers\/promises/]
  ]

  it("are refused where tests have to be deterministic", () => {
    for (const [text, expected] of forbidden) assertOne(check("gateway/src/http/A.ts", text), expected)
  })

  it("are allowed where nothing of Effect's is at hand", () => {
    for (const [text] of forbidden) {
      assert.deepStrictEqual(check("model-gateway/src/A.ts", text), [])
      assert.deepStrictEqual(check("client/src/A.ts", text), [])
    }
  })

  it("may be written about, and have namesakes", () => {
    const text = `
      // console.log(Date.now()), see "../storage/A.ts"
      /* import "../storage/A.ts" */
      const words = "setTimeout(process.env)" + \`Math.random() \${"new Date()"}\` + String(/console.log/)
      const at = new Date(0)
      const timer: ReturnType<typeof setTimeout> | undefined = undefined
      socket.setTimeout(1000)
      clock.now()
      const options = { console: 1, env: words }
    `
    assert.deepStrictEqual(check("gateway/src/http/A.ts", text), [])
  })

  it("keep the folders of core in their one direction", () => {
    const from = (folder: string, target: string) => check(`gateway/src/core/${folder}/A.ts`, `import "${target}"`)
    assert.deepStrictEqual(from("ledger", "../keys/B.ts"), [])
    assertOne(from("keys", "../ledger/B.ts"), /core\/keys may import from the folders before it only/)
    assertOne(check("gateway/src/core/A.ts", ""), /is in no folder of core/)
    assertOne(check("gateway/src/core/odds/A.ts", ""), /is in no folder of core/)
  })

  it("find circles, of types too", () => {
    const file = (name: string, text: string) => ({ path: `packages/gateway/src/http/${name}.ts`, text })
    const circle = [file("A", `import type { B } from "./B.ts"`), file("B", `import { A } from "./A.ts"`)]
    assert.match(checkImports(circle).map(formatViolation).join(), /A\.ts:1: is in a circle: A\.ts → B\.ts → A\.ts/)
    assert.deepStrictEqual(checkImports([circle[0]!, file("B", "")]), [])
  })
})
