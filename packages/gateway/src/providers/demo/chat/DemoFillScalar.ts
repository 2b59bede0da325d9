/** Strings and numbers for JSON schemas. */
import type { DemoHints } from "./DemoHints.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"

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

export const fillString = (node: JsonObject, hints: DemoHints, nth: number): string => {
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
export const fillNumber = (node: JsonObject, hints: DemoHints, nth: number): number => {
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
