/**
 * TOML to a tree. Effect's parser gives values without places, so the places come from a second look at the text
 * (`TomlPlaces.ts`), which is simple because it only ever sees text that has been parsed.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"
import type { Position, Report } from "../Problem.ts"
import { locateToml, placeKey, type Path } from "./TomlPlaces.ts"
import { DEEPEST, type Node } from "./Tree.ts"

/** Undefined when the text is no TOML. */
export const parseToml = (text: string, report: Report): Node | undefined => {
  const parsed = Toml.parse(text)
  if (Result.isFailure(parsed)) {
    const { at, message } = syntaxError(parsed.failure.message)
    report.add(at, "", { found: "text that does not parse", allowed: "TOML", message })
    return undefined
  }
  const source = text.replace(/^\uFEFF/, "")
  const lineStarts = [0, ...Array.from(source.matchAll(/\n/g), (match) => match.index + 1)]
  const place = (offset: number): Position => {
    const line = lineStarts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - lineStarts[line]! + 1 }
  }
  const offsets = locateToml(source)

  const toNode = (value: unknown, path: Path): Node => {
    const offset = offsets.get(placeKey(path))
    const at = place(offset?.value ?? 0)
    if (path.length > DEEPEST) {
      const allowed = `at most ${DEEPEST} levels`
      report.add(at, "", { found: "more", allowed, message: `the file is nested too deeply (${allowed})` })
      return { kind: "broken", at }
    }
    if (Array.isArray(value)) {
      return { kind: "list", at, items: value.map((item, index) => toNode(item, [...path, index])) }
    }
    if (typeof value === "object" && value !== null && !(value instanceof Date)) {
      const entries = Object.entries(value).map(([key, item]) => {
        const itemPath = [...path, key]
        const offset = offsets.get(placeKey(itemPath))?.key ?? 0
        return { offset, entry: { key, at: place(offset), value: toNode(item, itemPath) } }
      })
      // JavaScript moves keys like "1" to the front, and the order of buckets means something.
      return { kind: "table", at, entries: entries.sort((a, b) => a.offset - b.offset).map(({ entry }) => entry) }
    }
    return { kind: "scalar", at, value: value as string | number | boolean | Date }
  }
  return toNode(parsed.success, [])
}

/** The parser's message ends in the place, and may quote a value, which is not repeated: it may be a key. */
const syntaxError = (message: string): { readonly at: Position; readonly message: string } => {
  const match = /^(.*?) at line (\d+), column (\d+)$/s.exec(message)
  if (match === null) return { at: { line: 1, column: 1 }, message: "this is no TOML" }
  const said = /^(Invalid|Integer)/.test(match[1]!)
    ? "a value that can't be read; text needs quotes"
    : match[1]!.toLowerCase()
  return { at: { line: Number(match[2]), column: Number(match[3]) }, message: `this is no TOML: ${said}` }
}
