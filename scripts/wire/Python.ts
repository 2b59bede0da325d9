/**
 * `packages/python/src/model_gateway_client/wire`: the schemas of the clients' operations in Python, a module for each part of the API.
 * What is answered is a class of attributes, what is asked a `TypedDict`; an object within a schema gets a name of its own.
 */
import { besides, type Document, type JsonSchema, nameOfRef, operationsOf, schemasOf } from "./Operations.ts"

/** In order: a schema goes into the first module whose pattern its name fits. */
const modules: ReadonlyArray<readonly [module: string, names: RegExp]> = [
  ["audio", /^(Transcri|Transla|Speech)/],
  ["images", /^Image/],
  ["responses", /^(Response|Compaction|Deleted|Compact)/],
  ["messages", /^(Message|InputMessage|CountTokens|TokensCount)/],
  ["routing", /^(Route|Router|Explain)/],
  ["receipts", /^(Receipt|Shadow|Feedback|GiveFeedback|GetReceipt|ListRequests)/],
  ["keys", /Key|Budget|Limits|Team|EndUser|ScopeTemplate|ModelRule/],
  ["deployments", /^(Deployment|Health|Price)/],
  ["traffic", /^(Traffic|Times|GetTraffic)/],
  ["administration", /^(Spend|Config|Info|Node|Audit|GetSpend|ListAudit)/],
  ["models", /^(Model|Moderation|Embeddings|Rerank|Ranking)/],
  ["inference", /./]
]

/** Names that would hide others. */
const renamed: { readonly [name: string]: string | undefined } = { Error: "ErrorBody", Response: "ResponseObject" }
const called = (name: string): string => renamed[name] ?? name

/** Words of the language; as names they get a `_` behind them, which is not sent. */
const words = new Set(["from", "import", "class", "def", "global", "in", "is", "not", "or", "and", "pass", "with"])
const field = (name: string): string => (words.has(name) ? `${name}_` : name)

const HEAD = `"""Made from openapi.json by \`npm run openapi\`: change the description there, not this file."""\n\nfrom __future__ import annotations\n`

interface Declared {
  readonly name: string
  readonly text: string
}

/** Name of the module's file → its text. */
export const python = (document: Document): ReadonlyMap<string, string> => {
  const schemas = schemasOf(document, besides)
  const asked = reachable(
    document,
    operationsOf(document).flatMap(({ form, request }) => [form, request])
  )
  const answers = new Set(
    operationsOf(document).flatMap(({ headers, response }) =>
      headers.length > 0 && response?.$ref !== undefined ? [nameOfRef(response.$ref)] : []
    )
  )
  const declared: Array<Declared> = []
  for (const [name, schema] of schemas) {
    const kind = asked.has(name) ? "asked" : answers.has(name) ? "answer" : "told"
    declare(declared, called(name), schema, kind)
  }
  for (const { name, query } of operationsOf(document)) {
    if (Object.keys(query).length > 0) {
      const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Query`
      declare(declared, title, { type: "object", properties: query }, "asked")
    }
  }
  const moduleOf = new Map(
    declared.map(({ name }) => [name, modules.find(([, pattern]) => pattern.test(name))?.[0] ?? ""])
  )
  const texts = new Map<string, string>()
  for (const [module] of modules) {
    const own = declared.filter(({ name }) => moduleOf.get(name) === module)
    if (own.length > 0) texts.set(`${module}.py`, moduleText(module, own, moduleOf))
  }
  return texts.set("__init__.py", initText(declared, moduleOf))
}

const reachable = (document: Document, from: ReadonlyArray<JsonSchema | undefined>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== "$ref" || typeof inner !== "string") visit(inner)
      else if (!found.has(nameOfRef(inner))) {
        found.add(nameOfRef(inner))
        visit(document.components.schemas[nameOfRef(inner)])
      }
    }
  }
  from.forEach(visit)
  return found
}

type Kind = "asked" | "answer" | "told"

/** Adds the class, and before it those of the objects within. */
const declare = (declared: Array<Declared>, name: string, schema: JsonSchema, kind: Kind): void => {
  const required = new Set(schema.required)
  const models: Array<string> = []
  const lines: Array<string> = []
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (key === "gateway" && kind === "answer") continue
    const { model, type } = typeOf(declared, inner, `${name}${title(key)}`, kind)
    if (model !== undefined && kind !== "asked") models.push(`"${key}": "${model}"`)
    const said = documentation(inner, "    ")
    if (kind === "asked") lines.push(`    ${field(key)}: ${required.has(key) ? `Required[${type}]` : type}\n${said}`)
    else lines.push(`    ${field(key)}: ${required.has(key) ? type : optional(type)}\n${said}`)
  }
  const answer = name === "ResponseObject" ? "TextAnswer" : "Answer"
  const base = kind === "asked" ? "TypedDict, total=False" : kind === "answer" ? answer : "Record"
  const known = models.length === 0 ? "" : `    _models = {${models.join(", ")}}\n`
  const about = documentation(schema, "    ")
  const body = `${about}${known}${lines.join("")}`
  declared.push({ name, text: `class ${name}(${base}):\n${body === "" ? "    pass\n" : body}` })
}

const optional = (type: string): string => (/(^|\| )(None|Any)$/.test(type) ? type : `${type} | None`)

const title = (key: string): string =>
  key.replaceAll(/(^|_)([a-z0-9])/g, (_, _before, letter: string) => letter.toUpperCase())

const documentation = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? "" : `${indent}"""${description.replaceAll("\\", "\\\\").replaceAll('"""', "'''")}"""\n`

interface Typed {
  readonly type: string
  /** The class of the object that it is, or that its items are. */
  readonly model?: string | undefined
}

const typeOf = (declared: Array<Declared>, schema: JsonSchema, place: string, kind: Kind): Typed => {
  const isAsked = kind === "asked"
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.map((one) => typeOf(declared, one, place, kind))
    const types = [...new Set(all.map(({ type }) => type))]
    if (types.includes("Any")) return { type: "Any" }
    const last = types.toSorted((one, other) => Number(one === "None") - Number(other === "None"))
    return { type: last.join(" | "), model: all.find(({ model }) => model !== undefined)?.model }
  }
  if (schema.$ref !== undefined) {
    const name = called(nameOfRef(schema.$ref))
    return { type: isAsked ? `$$${name} | Mapping[str, Any]` : `$$${name}`, model: name }
  }
  if (schema.enum !== undefined) return { type: `Literal[${schema.enum.map(literal).join(", ")}]` }
  if (schema.const !== undefined) return { type: `Literal[${literal(schema.const)}]` }
  if (schema.format === "binary") return { type: "Upload" }
  switch (schema.type) {
    case "string":
      return { type: "str" }
    case "boolean":
      return { type: "bool" }
    case "integer":
      return { type: "int" }
    case "number":
      return { type: "float" }
    case "null":
      return { type: "None" }
    case "array": {
      const { model, type } = typeOf(declared, schema.items ?? {}, place.replace(/(?<=[a-z])s$/, ""), kind)
      return { type: `${isAsked ? "Sequence" : "list"}[${type}]`, model }
    }
    case "object":
      if (schema.properties === undefined) return { type: isAsked ? "Mapping[str, Any]" : "dict[str, Any]" }
      declare(declared, place, schema, isAsked ? "asked" : "told")
      return { type: isAsked ? `$$${place} | Mapping[str, Any]` : `$$${place}`, model: place }
    default:
      return { type: "Any" }
  }
}

const literal = (value: unknown): string => {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  return JSON.stringify(value)
}

const moduleText = (module: string, own: ReadonlyArray<Declared>, moduleOf: ReadonlyMap<string, string>): string => {
  const body = own.map(({ text }) => text).join("\n\n")
  const code = body.replaceAll(/"""[^]*?"""/g, "")
  const uses = (word: string) => new RegExp(`\\b${word}\\b`).test(code)
  const others = [...new Set([...body.matchAll(/\$\$(\w+)/g)].map(([, name = ""]) => name))]
    .filter((name) => moduleOf.get(name) !== module)
    .toSorted()
  const typing = ["Any", "Literal", "TypedDict"].filter(uses)
  const checking = [
    ...(["Mapping", "Sequence"].some(uses)
      ? [`    from collections.abc import ${["Mapping", "Sequence"].filter(uses).join(", ")}`]
      : []),
    ...(uses("Required") ? ["    from typing_extensions import Required"] : []),
    ...(uses("Upload") ? ["    from ..uploads import Upload"] : []),
    ...[...new Set(others.map((name) => moduleOf.get(name) ?? ""))]
      .toSorted()
      .map((from) => `    from .${from} import ${others.filter((name) => moduleOf.get(name) === from).join(", ")}`)
  ]
  const bases = ["Answer", "Record", "TextAnswer"].filter((base) => body.includes(`(${base}):`))
  return [
    HEAD,
    `from typing import ${[...(checking.length > 0 ? ["TYPE_CHECKING"] : []), ...typing].join(", ")}`,
    ...(bases.length > 0 ? ["", `from ..models import ${bases.join(", ")}`] : []),
    ...(checking.length > 0 ? ["", "if TYPE_CHECKING:", ...checking] : []),
    "",
    "",
    body.replaceAll("$$", "").trimEnd(),
    ""
  ].join("\n")
}

const initText = (declared: ReadonlyArray<Declared>, moduleOf: ReadonlyMap<string, string>): string => {
  const names = declared.map(({ name }) => name).toSorted()
  const imports = modules.flatMap(([module]) => {
    const own = names.filter((name) => moduleOf.get(name) === module)
    return own.length === 0 ? [] : [`from .${module} import (\n${own.map((name) => `    ${name},\n`).join("")})`]
  })
  return `${HEAD}\n${imports.join("\n")}\n\n__all__ = [\n${names.map((name) => `    "${name}",\n`).join("")}]\n`
}
