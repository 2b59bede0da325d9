/** `docs/configuration.md`, written from the schema of the configuration file: a table for each section and each larger group. */
import type { SchemaAST } from "effect"
import { configFile } from "../../packages/gateway/src/config/ConfigFile.ts"
import { REMOVED } from "../../packages/gateway/src/config/SettingValues.ts"
import { knownVendors } from "../../packages/gateway/src/providers/vendors/Vendors.ts"
import { reloadedSections } from "../../packages/gateway/src/Reload.ts"
import sentences from "./fields.json" with { type: "json" }

const descriptions: { readonly [path: string]: string | ReadonlyArray<string> | undefined } = sentences

const HEAD = `# Configuration reference

Every field of \`gateway.yaml\`. \`npm run docs -- --pages\` writes this page from the schema of the configuration file.
[Configure the gateway](configure.md) has a complete example and explains how to check and reload a file.

- **Change** says how a running gateway takes over a new value: after a *reload*, or only after a *restart*.
- A duration is written \`250ms\`, \`60s\`, \`5m\` or \`1h\`. A time for which data is kept is written \`12h\` or \`30d\`.
- A text can contain \`\${NAME}\`, \`\${NAME:-default}\` or \`\${file:/run/secrets/x}\`.
- A price is a number of USD with at most 6 decimals.
- In a path, \`<name>\` is a name that you choose, and \`[]\` stands for each item of a list.
`

/** Groups that get a table of their own, by their path. */
const ownTables: ReadonlyMap<string, string> = new Map([
  ["store.postgres", "Postgres"],
  ["deployments[].timeouts", "Timeouts"],
  ["deployments[].bounds", "Bounds"],
  ["deployments[].price", "Prices"]
])

/** The order of the sections on the page. */
const sections = [
  "server",
  "logs",
  "master_key",
  "store",
  "receipts",
  "responses",
  "idempotency",
  "alerts",
  "providers",
  "deployments",
  "models",
  "router",
  "failover",
  "catalogue"
]

interface Field {
  readonly path: string
  readonly ast: SchemaAST.AST
  readonly annotations: Readonly<Record<string, unknown>>
}

interface Table {
  readonly heading: string
  /** What the paths of all its fields begin with. */
  readonly prefix: string
  readonly about: string
  readonly fields: Array<Field>
}

const fieldsOf = (ast: SchemaAST.AST, prefix: string): ReadonlyArray<Field> =>
  ast._tag === "Objects"
    ? ast.propertySignatures
        .map(({ name, type }) => ({
          path: `${prefix}${String(name)}`,
          ast: type,
          annotations: type.context?.annotations ?? {}
        }))
        .filter(({ annotations }) => annotations["about"] !== REMOVED)
    : []

/** The group, and how its fields are addressed: `deployments[].`, `providers.<name>.`; undefined where the value is no group. */
const groupIn = (ast: SchemaAST.AST): { readonly group: SchemaAST.AST; readonly step: string } | undefined => {
  if (ast._tag === "Objects") return { group: ast, step: "." }
  if (ast._tag !== "Arrays") return undefined
  const [item] = ast.rest
  if (item === undefined) return undefined
  const [, value] = item._tag === "Arrays" ? item.elements : []
  const group = value ?? item
  return group._tag === "Objects" ? { group, step: value === undefined ? "[]." : ".<name>." } : undefined
}

const names = (ast: SchemaAST.AST): ReadonlySet<string> => new Set(fieldsOf(ast, "").map(({ path }) => path))

const annotation = (ast: SchemaAST.AST, name: string): unknown =>
  ast.annotations?.[name] ?? ast.checks?.at(-1)?.annotations?.[name]

const code = (text: string): string => `\`${text}\``

const isTime = (expected: string): boolean => /^a (?:duration|time) such as/.test(expected)

const expectedOf = (ast: SchemaAST.AST): string => String(annotation(ast, "expected") ?? "text")

const MOST_LITERALS = 20

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Union" ? ast.types.flatMap((one) => (one._tag === "Literal" ? [String(one.literal)] : [])) : []

/** The words of the message that refuses anything else, without what the page says at its top. */
const inWords = (expected: string): string =>
  expected
    .replace(/ such as 250ms, 60s, 5m or 1h,| such as 12h or 30d,/, "")
    .replace(/^a price: .*/, "price")
    .replace(/^.*: letters, digits, \. _ : \/ and -$/, "text")
    .replace(/^an? (?=whole|number|duration|time)/, "")
    .replaceAll(/\d{5,}/g, (digits) => Number(digits).toLocaleString("en"))
    .replaceAll(/[\w:/]*<[^>]*>[\w:/<>]*|\$\{[^}]*\}|\w+:\/\/[^\s,]+/g, code)

/** What may stand there. */
const typeOf = (ast: SchemaAST.AST): string => {
  const literals = literalsOf(ast)
  if (literals.length > MOST_LITERALS) return expectedOf(ast).replace(/:.*/, "")
  if (literals.length > 0 && ast._tag === "Union" && literals.length === ast.types.length)
    return literals.map(code).join(", ")
  const found = groupIn(ast)
  if (found !== undefined)
    return { ".": "group", "[].": "list of groups", ".<name>.": "groups by name" }[found.step] ?? ""
  if (ast._tag === "Arrays") {
    const [item] = ast.rest
    const value = item?._tag === "Arrays" ? item.elements[1] : undefined
    if (value !== undefined) return `by name: ${typeOf(value)}`
    return item === undefined ? "list" : `list: ${typeOf(item)}`
  }
  if (ast._tag === "Unknown") return "groups by name"
  return expectedOf(ast) === "Redacted" ? "secret text" : inWords(expectedOf(ast))
}

const inUnits = (ms: number, expected: string): string => {
  if (expected.startsWith("a time")) return ms % 86_400_000 === 0 ? `${ms / 86_400_000}d` : `${ms / 3_600_000}h`
  if (ms === 0 && expected.endsWith("or off")) return "off"
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

/** The sentence about a field, and what holds where it is left out if no constant does: `fields.json`, by path. */
const descriptionOf = (path: string): { readonly about: string; readonly otherwise: string | undefined } => {
  const found = descriptions[path]
  if (found === undefined) throw new Error(`scripts/docs/fields.json describes no ${path}: add a sentence`)
  const [about = "", otherwise] = typeof found === "string" ? [found] : found
  return { about, otherwise }
}

const defaultOf = ({ annotations, ast, path }: Field): string => {
  const { default: value, messageMissingKey } = annotations
  const { otherwise } = descriptionOf(path)
  if (otherwise !== undefined) return otherwise
  if (messageMissingKey !== undefined) return "required"
  const expected = expectedOf(ast)
  if (literalsOf(ast).length > 0 && value !== undefined) return code(String(value))
  if (typeof value === "number" && isTime(expected)) return code(inUnits(value, expected))
  if (Array.isArray(value)) return value.length === 0 ? "none" : code(JSON.stringify(value))
  return value === undefined || typeof value === "object" ? "" : code(String(value))
}

/** Tables in the order of the page. A group whose fields are all in the table around it is named and not repeated. */
const collect = (
  { about, heading, prefix }: Omit<Table, "fields">,
  fields: ReadonlyArray<Field>,
  around: ReadonlySet<string>
): Array<Table> => {
  const table: Table = { heading, prefix, about, fields: [] }
  const more: Array<Table> = []
  for (const field of fields) {
    const found = groupIn(field.ast)
    const known = found === undefined ? [] : [...names(found.group)].filter((name) => name !== "above")
    const title = ownTables.get(field.path)
    if (found === undefined || (known.length > 0 && known.every((name) => around.has(name)))) table.fields.push(field)
    else if (title === undefined) {
      table.fields.push(...inline(field))
      for (const inner of inline(field)) {
        const own = ownTables.get(inner.path)
        const innerGroup = groupIn(inner.ast)
        if (own !== undefined && innerGroup !== undefined) more.push(...tableOf(own, inner, innerGroup))
      }
    } else {
      table.fields.push(field)
      more.push(...tableOf(title, field, found))
    }
  }
  return [table, ...more]
}

const tableOf = (heading: string, field: Field, found: NonNullable<ReturnType<typeof groupIn>>): Array<Table> =>
  collect(
    { heading, prefix: field.path + found.step, about: `Fields of ${code(field.path)}.` },
    fieldsOf(found.group, field.path + found.step),
    names(found.group)
  )

const inline = (field: Field): ReadonlyArray<Field> => {
  const found = groupIn(field.ast)
  return found === undefined ? [] : fieldsOf(found.group, field.path + found.step)
}

const cell = (text: string): string => text.replaceAll("|", "\\|")

const rowOf = (field: Field, prefix: string, change: string): string =>
  `| ${[code(field.path.slice(prefix.length)), typeOf(field.ast), defaultOf(field), change, descriptionOf(field.path).about].map(cell).join(" | ")} |`

const render = ({ about, fields, heading, prefix }: Table, level: string, change: string): string =>
  [
    `${level} ${heading}`,
    ...(about === "" ? [] : [about]),
    [
      "| field | type | default | change | description |",
      "|---|---|---|---|---|",
      ...fields.map((one) => rowOf(one, prefix, change))
    ].join("\n")
  ].join("\n\n")

const sectionOf = (field: Field): string => {
  const change = reloadedSections.some((name) => name === field.path) ? "reload" : "restart"
  const found = groupIn(field.ast)
  const { about } = descriptionOf(field.path)
  const [first, ...more] =
    found === undefined
      ? collect({ heading: field.path, prefix: "", about: "" }, [field], new Set())
      : collect(
          {
            heading: field.path,
            prefix: field.path + found.step,
            about: found.step === "." ? about : `${about} Fields of ${code(field.path + found.step.slice(0, -1))}.`
          },
          fieldsOf(found.group, field.path + found.step),
          names(found.group)
        )
  return [
    ...(first === undefined ? [] : [render(first, "##", change)]),
    ...more.map((table) => render(table, "###", change))
  ].join("\n\n")
}

export const configurationPage = (): string => {
  const root = configFile({ providers: [], buckets: undefined }, knownVendors)
  const fields = new Map(fieldsOf(root.ast, "").map((field) => [field.path, field]))
  const ordered = [...sections, ...[...fields.keys()].filter((name) => !sections.includes(name))]
  const parts = ordered.flatMap((name) => {
    const field = fields.get(name)
    return field === undefined ? [] : [sectionOf(field)]
  })
  return `${[HEAD.trimEnd(), ...parts].join("\n\n")}\n`
}
