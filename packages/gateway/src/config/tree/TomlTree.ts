/**
 * TOML to a tree. A table may be added to further down in the text, so tables stay open until the end.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"
import { parseTOML, type AST } from "toml-eslint-parser"
import type { Position, Report } from "../Problem.ts"
import { DEEPEST, type Node } from "./Tree.ts"

/** Undefined when the text is no TOML. */
export const parseToml = (text: string, report: Report): Node | undefined => {
  const parsed = Toml.parse(text)
  if (Result.isFailure(parsed)) {
    const { at, message } = syntaxError(parsed.failure.message)
    report.add(at, "", { found: "text that does not parse", allowed: "TOML", message })
    return undefined
  }
  const [top] = parseTOML(text.replace(/^\uFEFF/, "")).body
  const root = new Open({ line: 1, column: 1 }, 0)
  for (const item of top.body) {
    if (item.type === "TOMLKeyValue") addField(root, item, report)
    else {
      const table = item.resolvedKey.reduce((outer, key) => outer.enter(key, place(item)), root)
      for (const field of item.body) addField(table, field, report)
    }
  }
  return root.close(report)
}

const place = ({ loc: { start } }: AST.TOMLNode): Position => ({ line: start.line, column: start.column + 1 })

/** A table by its keys, or a list of tables by their indexes, while more may come. */
class Open {
  readonly kind = "open"
  readonly at: Position
  readonly depth: number
  readonly children = new Map<string | number, { readonly at: Position; readonly value: Open | Node }>()

  constructor(at: Position, depth: number) {
    this.at = at
    this.depth = depth
  }

  /** Where it is new, it stands where it is first named. */
  enter(key: string | number, at: Position): Open {
    const known = this.children.get(key)?.value
    if (known?.kind === "open") return known
    const value = new Open(at, this.depth + 1)
    this.children.set(key, { at, value })
    return value
  }

  close(report: Report): Node {
    const { at } = this
    if (this.depth > DEEPEST) return tooDeep(at, report)
    const closed = Array.from(this.children, ([key, child]) => ({
      key: String(key),
      at: child.at,
      value: child.value.kind === "open" ? child.value.close(report) : child.value
    }))
    return this.children.has(0)
      ? { kind: "list", at, items: closed.map(({ value }) => value) }
      : { kind: "table", at, entries: closed }
  }
}

/** `a.b = value` */
const addField = (table: Open, { key: { keys }, value }: AST.TOMLKeyValue, report: Report): void => {
  let owner = table
  for (const [index, key] of keys.entries()) {
    const name = key.type === "TOMLBare" ? key.name : key.value
    if (index < keys.length - 1) owner = owner.enter(name, place(key))
    else owner.children.set(name, { at: place(key), value: toNode(value, owner.depth + 1, report) })
  }
}

const toNode = (node: AST.TOMLContentNode, depth: number, report: Report): Node => {
  const at = place(node)
  if (depth > DEEPEST) return tooDeep(at, report)
  switch (node.type) {
    case "TOMLArray":
      return { kind: "list", at, items: node.elements.map((element) => toNode(element, depth + 1, report)) }
    case "TOMLInlineTable": {
      const table = new Open(at, depth)
      for (const field of node.body) addField(table, field, report)
      return table.close(report)
    }
    case "TOMLValue":
      // A date or a time of no zone is no moment, so it stays as it is written.
      return { kind: "scalar", at, value: isLocal(node) ? node.datetime : node.value }
  }
}

const isLocal = (node: AST.TOMLValue): node is AST.TOMLDateTimeValue =>
  node.kind === "local-date-time" || node.kind === "local-date" || node.kind === "local-time"

const tooDeep = (at: Position, report: Report): Node => {
  const allowed = `at most ${DEEPEST} levels`
  report.add(at, "", { found: "more", allowed, message: `the file is nested too deeply (${allowed})` })
  return { kind: "broken", at }
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
