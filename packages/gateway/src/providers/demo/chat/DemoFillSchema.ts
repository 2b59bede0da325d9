/** A value for a JSON schema, with what the prompt offers. Schemas come from callers, so depth and size are bounded. */
import { arrayOf, isObject, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"

/** A prompt is looked at this far. */
const CHARACTERS = 4_000
const NUMBER = /(?<![\p{L}\p{N}_.-])-?\d{1,15}(?:\.\d{1,9})?(?![\p{L}\p{N}_])/gu
/** An apostrophe within or behind a word quotes nothing. */
const QUOTED = /"([^"\n]{1,80})"|“([^”\n]{1,80})”|(?<![\p{L}\p{N}])'([^'\n]{1,80})'(?![\p{L}\p{N}])/gu
/** Capitalized words inside a sentence. */
const NAME = /(?<=[\p{Ll}\p{N},;:]\s)\p{Lu}[\p{L}\p{N}'’-]{1,40}(?:\s\p{Lu}[\p{L}\p{N}'’-]{1,40}){0,4}/gu

export class DemoHints {
  private readonly text: string
  private readonly numbers: Array<number>
  private readonly phrases: Array<string>

  /** `ignored`: words that are no values, the names of the tools. */
  constructor(prompt: string, ignored: ReadonlyArray<string> = []) {
    const text = prompt.slice(0, CHARACTERS)
    const quoted = [...text.matchAll(QUOTED)].map((match) => match[1] ?? match[2] ?? match[3] ?? "")
    this.text = text.toLowerCase()
    this.numbers = (text.match(NUMBER) ?? []).map(Number)
    this.phrases = [...quoted, ...(text.match(NAME) ?? [])].filter((phrase) => !ignored.includes(phrase))
  }

  /** The next number that will do; each is given out once. */
  number(fits: (value: number) => boolean): number | undefined {
    return takeFirst(this.numbers, fits)
  }

  /** The first of the values that the prompt speaks of, in any case of letters. */
  mentioned(values: ReadonlyArray<unknown>): string | undefined {
    const value = values.find(
      (one) => typeof one === "string" && one.length > 1 && this.text.includes(one.toLowerCase())
    )
    if (typeof value !== "string") return undefined
    this.phrase((phrase) => phrase.toLowerCase() === value.toLowerCase())
    return value
  }

  /** Names that were quoted: "JSON with 'setup' and 'punchline' keys". */
  names(): ReadonlyArray<string> {
    return this.phrases.filter((phrase) => /^[a-z_][a-zA-Z0-9_]*$/.test(phrase))
  }

  /** The next phrase that will do; each is given out once. */
  phrase(fits: (value: string) => boolean): string | undefined {
    return takeFirst(this.phrases, fits)
  }
}

const takeFirst = <A>(values: Array<A>, fits: (value: A) => boolean): A | undefined => {
  const index = values.findIndex(fits)
  return index < 0 ? undefined : values.splice(index, 1)[0]
}

/** Below this depth only what is required is filled in. */
const GENEROUS_DEPTH = 3
const DEEPEST = 16
const MOST_NODES = 5_000

/** Undefined when there is no value: a schema that allows none, or one without an end. */
export const fillSchema = (schema: unknown, hints: DemoHints): unknown => new Filler(schema, hints).fill(schema, 0, 0)

class Filler {
  private readonly root: unknown
  private readonly hints: DemoHints
  private nodes = 0

  constructor(root: unknown, hints: DemoHints) {
    this.root = root
    this.hints = hints
  }

  /** `nth`: the place in a list, for values that have to differ. */
  fill(schema: unknown, depth: number, nth: number): unknown {
    if (schema === false || depth > DEEPEST || ++this.nodes > MOST_NODES) return undefined
    if (!isObject(schema)) return "example"
    const node = withParts(resolve(schema, this.root), this.root)
    if ("const" in node) return node["const"]
    const options = node["anyOf"] ?? node["oneOf"]
    if (Array.isArray(options)) return this.fillOneOf(node, options, depth, nth)
    if (Array.isArray(node["enum"])) return this.choose(node["enum"], nth)
    const given = arrayOf(node["examples"])[0] ?? node["default"]
    if (given !== undefined && given !== null) return given
    return this.fillType(node, depth, nth)
  }

  private fillType(node: JsonObject, depth: number, nth: number): unknown {
    switch (typeOf(node)) {
      case "object":
        return this.fillObject(node, depth)
      case "array":
        return this.fillArray(node, depth)
      case "integer":
      case "number":
        return fillNumber(node, this.hints, nth)
      case "boolean":
        return true
      case "null":
        return null
      default:
        return fillString(node, this.hints, nth)
    }
  }

  private fillOneOf(node: JsonObject, options: ReadonlyArray<unknown>, depth: number, nth: number): unknown {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = node
    const nullable = options.filter((option) => isObject(option) && option["type"] === "null")
    const others = options.filter((option) => !nullable.includes(option))
    for (const option of depth >= GENEROUS_DEPTH ? [...nullable, ...others] : [...others, ...nullable]) {
      const merged = isObject(option) ? { ...rest, ...resolve(option, this.root) } : option
      const value = this.fill(merged, depth + 1, nth)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** One that the prompt mentions, else the first. */
  private choose(values: ReadonlyArray<unknown>, nth: number): unknown {
    const mentioned = nth > 0 ? undefined : this.hints.mentioned(values)
    return mentioned === undefined ? values[nth % values.length] : mentioned
  }

  private fillObject(node: JsonObject, depth: number): unknown {
    const properties = objectOr(node["properties"])
    const required = new Set(arrayOf(node["required"]).filter((name) => typeof name === "string"))
    const fields: Array<readonly [string, unknown]> = []
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.has(name) && depth >= GENEROUS_DEPTH) continue
      const value = this.fill(schema, depth + 1, 0)
      if (value !== undefined) fields.push([name, value])
      else if (required.has(name)) return undefined
    }
    for (const name of required) {
      if (Object.hasOwn(properties, name)) continue
      const value = this.fill(node["additionalProperties"] ?? true, depth + 1, 0)
      if (value === undefined) return undefined
      fields.push([name, value])
    }
    return Object.fromEntries(fields)
  }

  private fillArray(node: JsonObject, depth: number): unknown {
    const heads = arrayOf(node["prefixItems"])
    const least = typeof node["minItems"] === "number" ? node["minItems"] : 0
    const most = typeof node["maxItems"] === "number" ? node["maxItems"] : Infinity
    const wanted = Math.min(Math.max(least, heads.length, depth < GENEROUS_DEPTH ? 1 : 0), most, MOST_NODES)
    const items: Array<unknown> = []
    while (items.length < wanted) {
      const schema = items.length < heads.length ? heads[items.length] : (node["items"] ?? true)
      const item = this.fill(schema, depth + 1, items.length)
      if (item === undefined) break
      items.push(item)
    }
    return items.length < least ? undefined : items
  }
}

/** Strings and numbers for JSON schemas. */
const FORMATS: { readonly [format: string]: string } = {
  "date-time": "2026-01-15T09:30:00Z",
  date: "2026-01-15",
  time: "09:30:00Z",
  duration: "PT15M",
  email: "ada@example.com",
  "idn-email": "ada@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/example",
  iri: "https://example.com/",
  url: "https://example.com/",
  uuid: "3f0c5c1e-8a34-4d57-9a51-6f2f0f7c9b10",
  "json-pointer": "/example",
  regex: "^example$"
}

/** Tried where a pattern is asked for. Short, so that no pattern takes long over one. */
const CANDIDATES: ReadonlyArray<string> = (
  "example Example EXAMPLE a A 1 12 123 1234 12345 a1 A1 AB ABC USD en-US 2026-01-15 09:30 09:30:00 1.0.0 v1.0.0 #aabbcc " +
  "+15550100 555-0100 ab-123 AB-123 AB123 id_1 /example a@example.co https://a.co 1.5 $1.50 0x1f A-1 "
).split(" ")

const LONGEST = 10_000

const fillString = (node: JsonObject, hints: DemoHints, nth: number): string => {
  const { format } = node
  if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return FORMATS[format]!
  const least = bound(node["minLength"], 0)
  const most = bound(node["maxLength"], LONGEST)
  const matches = matcher(node["pattern"])
  const fits = (text: string) => text.length >= least && text.length <= most && matches(text)
  const hint = hints.phrase(fits)
  if (hint !== undefined) return hint
  const plain = nth === 0 ? "example" : `example ${nth + 1}`
  const fitting = [plain, ...CANDIDATES].find(fits)
  return fitting ?? plain.padEnd(Math.min(least, LONGEST), ".").slice(0, most)
}

/** The value nearest to a plain one that keeps the bounds. */
const fillNumber = (node: JsonObject, hints: DemoHints, nth: number): number => {
  const step = typeof node["multipleOf"] === "number" && node["multipleOf"] > 0 ? node["multipleOf"] : undefined
  const whole = [node["type"]].flat().includes("integer")
  const above = bound(node["exclusiveMinimum"], -Infinity)
  const below = bound(node["exclusiveMaximum"], Infinity)
  const least = bound(node["minimum"], -Infinity)
  const most = bound(node["maximum"], Infinity)
  const fits = (value: number) =>
    value >= least &&
    value <= most &&
    value > above &&
    value < below &&
    (!whole || Number.isSafeInteger(value)) &&
    (step === undefined || Number.isInteger(value / step))

  const low = Math.max(least, above)
  const high = Math.min(most, below)
  const unit = step ?? 1
  const onStep = Math.ceil(low / unit) * unit
  const stepped = [unit * (nth + 1), onStep + nth * unit, onStep + (nth + 1) * unit]
  const tries = [nth + 1, ...stepped, high, high - 1, (low + high) / 2, 0]
  return hints.number(fits) ?? tries.find((value) => Number.isFinite(value) && fits(value)) ?? 1
}

const bound = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const matcher = (pattern: unknown): ((text: string) => boolean) => {
  if (typeof pattern !== "string") return () => true
  try {
    const expression = new RegExp(pattern, "u")
    return (text) => expression.test(text)
  } catch {
    // Not ours to judge: an expression that can't be read binds nobody.
    return () => true
  }
}

/** References are followed this far: a chain that is longer leads nowhere. */
const LONGEST_CHAIN = 16

/** The schema with its `$ref` replaced by what it refers to; what stands beside the reference wins. */
const resolve = (schema: JsonObject, root: unknown): JsonObject => {
  let node = schema
  for (let step = 0; step < LONGEST_CHAIN && typeof node["$ref"] === "string"; step++) {
    const { $ref: reference, ...beside } = node
    const target = lookUp(String(reference), root)
    node = isObject(target) ? { ...target, ...beside } : beside
  }
  return node
}

/** Only references within the same document: nothing is fetched. */
const lookUp = (reference: string, root: unknown): unknown => {
  if (!reference.startsWith("#")) return undefined
  let node = root
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined
    node = (node as JsonObject)[name]
  }
  return node
}

/** The schema with the parts of its `allOf` folded in. */
const withParts = (schema: JsonObject, root: unknown): JsonObject => {
  if (!Array.isArray(schema["allOf"])) return schema
  const { allOf, ...rest } = schema
  return objectsIn(allOf)
    .map((part) => resolve(part, root))
    .reduce((node, { allOf: _nested, ...part }) => merged(node, part), rest)
}

const merged = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  ...(isObject(one["properties"]) && isObject(other["properties"])
    ? { properties: { ...one["properties"], ...other["properties"] } }
    : {}),
  ...(one["required"] !== undefined && other["required"] !== undefined
    ? { required: [...arrayOf(one["required"]), ...arrayOf(other["required"])] }
    : {})
})

/** The type a value should have; where the schema does not say, what its keywords are about. */
const typeOf = (node: JsonObject): unknown => {
  const type = node["type"]
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? "null"
  if (type !== undefined) return type
  if (node["properties"] !== undefined || node["required"] !== undefined) return "object"
  if (node["items"] !== undefined || node["prefixItems"] !== undefined) return "array"
  if (node["minimum"] !== undefined || node["maximum"] !== undefined) return "number"
  return "string"
}
