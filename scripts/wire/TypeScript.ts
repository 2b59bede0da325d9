/** `packages/client/src/wire`: the schemas of the clients' operations as TypeScript types, a file for each part of the API. */
import { besides, type Document, isOpen, type JsonSchema, nameOfRef, operationsOf, schemasOf } from "./Operations.ts"

/** In order: a schema goes into the first file whose pattern its name fits. */
const files: ReadonlyArray<readonly [file: string, names: RegExp]> = [
  ["Audio", /^(Transcri|Transla|Speech)/],
  ["Images", /^Image/],
  ["Responses", /^(Response|Compaction|Deleted)/],
  ["Messages", /^(Message|InputMessage|CountTokens|TokensCount)/],
  ["Receipts", /^(Receipt|Shadow|Feedback|GiveFeedback|RouteFeature|Considered|PriceLine)/],
  ["Routing", /^(Route|Router)/],
  ["Keys", /Key|Budget|Limits|Team|EndUser|Scope|CacheRules|ModelRule/],
  ["Deployments", /^(Deployment|Health|Price)/],
  ["Administration", /^(Spend|Config|Info|Node|Audit)/],
  ["Traffic", /^(Traffic|Times)/],
  ["Models", /^(Model|Moderation|Embeddings|Rerank|Ranking)/],
  ["Inference", /./]
]

/** Names that would hide those of every program. */
const renamed: { readonly [name: string]: string | undefined } = { Error: "ErrorBody", Response: "ResponseObject" }
const called = (name: string): string => renamed[name] ?? name

const HEAD = `/** Made from openapi.json by \`npm run openapi\`: change the description there, not this file. */\n`

/** Name of the file → its text. */
export const typescript = (document: Document): ReadonlyMap<string, string> => {
  const schemas = schemasOf(document, besides)
  const fileOf = new Map<string, string>()
  for (const name of schemas.keys())
    fileOf.set(called(name), files.find(([, pattern]) => pattern.test(name))?.[0] ?? "")
  fileOf.set("Upload", "../Upload")
  const texts = new Map<string, string>()
  for (const [file] of files) {
    const own = [...schemas].filter(([name]) => fileOf.get(called(name)) === file)
    if (own.length > 0) texts.set(`${file}.ts`, fileText(own.map(declaration), fileOf, file))
  }
  texts.set("Queries.ts", queriesFile(document))
  return texts.set("Operations.ts", operationsFile(document, fileOf))
}

const fileText = (declarations: ReadonlyArray<string>, fileOf: ReadonlyMap<string, string>, file: string): string => {
  const body = declarations.join("\n\n")
  const used = new Set([...body.matchAll(/\$\$(\w+)/g)].map(([, name = ""]) => name))
  const imports = [...new Set([...used].map((name) => fileOf.get(name) ?? ""))]
    .filter((from) => from !== file)
    .toSorted()
    .map((from) => {
      const names = [...used].filter((name) => fileOf.get(name) === from).toSorted()
      return `import type { ${names.join(", ")} } from "${from.startsWith(".") ? from : `./${from}`}.ts"\n`
    })
  return `${HEAD}${imports.join("")}\n${body.replaceAll("$$", "")}\n`
}

const declaration = ([name, schema]: readonly [string, JsonSchema]): string =>
  schema.properties === undefined
    ? `${comment(schema, "")}export type ${called(name)} = ${typeOf(schema, "")}`
    : `${comment(schema, "")}export interface ${called(name)} ${objectOf(schema, "")}`

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n`

const objectOf = (schema: JsonSchema, indent: string): string => {
  const required = new Set(schema.required)
  const inner = `${indent}  `
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const optional = required.has(name) ? "" : "?"
    const type = typeOf(field, inner)
    return `${comment(field, inner)}${inner}readonly ${key(name)}${optional}: ${type}${optional === "" ? "" : " | undefined"}`
  })
  const rest = isOpen(schema) ? [`${inner}readonly [field: string]: unknown`] : []
  return `{\n${[...fields, ...rest].join("\n")}\n${indent}}`
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const typeOf = (schema: JsonSchema, indent: string): string => {
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((one) => typeOf(one, indent)))
  if (schema.$ref !== undefined) return `$$${called(nameOfRef(schema.$ref))}`
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.format === "binary") return "$$Upload"
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return schema.type
    case "integer":
      return "number"
    case "array": {
      const item = typeOf(schema.items ?? {}, indent)
      return `ReadonlyArray<${item}>`
    }
    case "object": {
      if (schema.properties !== undefined) return objectOf(schema, indent)
      const { additionalProperties } = schema
      const values =
        typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
          ? typeOf(additionalProperties, indent)
          : "unknown"
      return `{ readonly [field: string]: ${values} }`
    }
    default:
      return "unknown"
  }
}

const union = (types: ReadonlyArray<string>): string => {
  const different = [...new Set(types)]
  return different.includes("unknown") ? "unknown" : different.join(" | ")
}

/** `GetSpendQuery`, of `getSpend`. */
const queryName = (operation: string): string => `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Query`

const queriesFile = (document: Document): string => {
  const declared = operationsOf(document)
    .filter(({ query }) => Object.keys(query).length > 0)
    .map(({ name, query, summary }) => {
      const about = { description: `${summary}: what may stand in the query.`, properties: query }
      return declaration([queryName(name), about])
    })
  return fileText(declared, new Map(), "Queries")
}

const operationsFile = (document: Document, fileOf: Map<string, string>): string => {
  const operations = operationsOf(document).map((operation) => {
    const { name, query, request, response, streams, summary } = operation
    const asked = queryName(name)
    if (Object.keys(query).length > 0) fileOf.set(asked, "Queries")
    return [
      `  /** ${summary}: \`${operation.method} ${operation.path}\`. */`,
      `  readonly ${name}: {`,
      `    readonly request: ${request === undefined ? "undefined" : typeOf(request, "    ")}`,
      ...(operation.form === undefined ? [] : [`    readonly form: ${typeOf(operation.form, "    ")}`]),
      `    readonly query: ${Object.keys(query).length === 0 ? "{}" : `$$${asked}`}`,
      `    readonly response: ${response === undefined ? "undefined" : typeOf(response, "    ")}`,
      `    readonly streams: ${streams}`,
      `  }`
    ].join("\n")
  })
  const body = `/** Every operation that a client has: what it takes and what it answers. */\nexport interface Operations {\n${operations.join("\n")}\n}`
  return fileText([body], fileOf, "Operations")
}
