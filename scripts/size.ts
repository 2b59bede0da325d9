/**
 * How large the product is, and how large it may be: `size.json` has a row for each number, with why it was last raised. A test
 * compares the two. `node scripts/size.ts` prints the numbers, `node scripts/size.ts --lower` writes those that have become smaller.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const file = join(import.meta.dirname, "size.json")

interface Row {
  /** The most that there may be. */
  readonly most: number
  /** What was deleted for the last raise, or which need of users it serves. */
  readonly why: string
}

export type SizeTable = { readonly [name: string]: Row }

/** Lines may fall this far below their row before it has to be lowered. */
export const SLACK = 400

const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

const isGenerated = (text: string): boolean => /made from openapi\.json|code generated/i.test(text.slice(0, 200))

/** Of hand-written sources. */
const lines = (...patterns: ReadonlyArray<string>): number =>
  globSync(patterns, { cwd: root })
    .filter((path) => !/node_modules|\/dist\/|\/_sync\//.test(path))
    .map(textOf)
    .filter((text) => !isGenerated(text))
    .reduce((sum, text) => sum + text.split("\n").length - 1, 0)

const linesOf = (name: string): number => {
  switch (name) {
    case "go":
      return lines("packages/go/!(*_test).go", "packages/go/internal/**/*.go")
    case "deploy":
      return lines("packages/deploy/**/*.{ts,mjs}") - lines("packages/deploy/test/**/*.ts")
    default:
      return lines(`packages/${name}/src/**/*.{ts,tsx,mjs,py}`, `packages/${name}/bin/*.mjs`)
  }
}

const endpoints = (): number => {
  const { paths } = JSON.parse(textOf("packages/protocol/openapi.json"))
  return Object.values<object>(paths).reduce((sum, path) => sum + Object.keys(path).length, 0)
}

const named = (pattern: RegExp, ...files: ReadonlyArray<string>): number =>
  new Set(globSync(files, { cwd: root }).flatMap((path) => textOf(path).match(pattern) ?? [])).size

/** Every number of the table, as the tree has it. */
export const measured = (): { readonly [name: string]: number } => ({
  ...Object.fromEntries(
    readdirSync(join(root, "packages")).map((name) => [`lines of packages/${name}`, linesOf(name)])
  ),
  "lines of bench": lines("bench/**/*.ts"),
  "lines of scripts": lines("scripts/**/*.{ts,mjs,py}"),
  "lines of tests": lines("packages/*/{test,tests}/**/*.{ts,tsx,py}", "packages/go/*_test.go"),
  endpoints: endpoints(),
  "tables of a store": named(
    /(?<=CREATE TABLE (?:IF NOT EXISTS )?)\w+/g,
    "packages/gateway/src/storage/migrations/sqlite.sql"
  ),
  "configuration fields": (textOf("docs/configuration.md").match(/^\| `/gm) ?? []).length,
  metrics: named(/(?<=")gateway_\w+(?=")/g, "packages/protocol/src/Metrics.ts"),
  "response headers": named(
    /x-gateway-(?!access)[a-z-]+/g,
    "packages/gateway/src/http/**/*.ts",
    "packages/protocol/src/**/*.ts"
  ),
  "error codes": readdirSync(join(root, "docs", "errors")).length
})

export const sizeTable = (): SizeTable => JSON.parse(readFileSync(file, "utf8"))

const isOfLines = (name: string): boolean => name.startsWith("lines of ")

/** A sentence for each number that the table does not allow. */
export const differences = (table: SizeTable, tree: { readonly [name: string]: number }): ReadonlyArray<string> => [
  ...Object.entries(tree).flatMap(([name, number]) => {
    const row = table[name]
    if (row === undefined) return [`${name}: ${number}, and scripts/size.json has no row for it`]
    if (row.why.trim() === "") return [`${name}: say in scripts/size.json why it is ${row.most}`]
    if (number > row.most) {
      return [
        `${name}: ${number}, allowed are ${row.most}. Delete something, or raise the row and say for which need of users.`
      ]
    }
    const isLow = isOfLines(name) ? number < row.most - SLACK : number < row.most
    return isLow ? [`${name}: ${number}, and the row still allows ${row.most}: run node scripts/size.ts --lower`] : []
  }),
  ...Object.keys(table).flatMap((name) => (name in tree ? [] : [`${name}: the row is about nothing`]))
]

if (import.meta.main) {
  const tree = measured()
  const isLowering = process.argv.includes("--lower")
  const table: Record<string, Row> = { ...(isLowering ? sizeTable() : {}) }
  for (const [name, number] of Object.entries(tree)) {
    console.log(`${String(number).padStart(7)}  ${name}`)
    const most = isOfLines(name) ? Math.ceil(number / 100) * 100 : number
    if (isLowering && (table[name]?.most ?? Infinity) > most) table[name] = { why: "", ...table[name], most }
  }
  if (isLowering) writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`)
}
