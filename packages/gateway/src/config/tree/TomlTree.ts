/** TOML to a tree. A table may be added to further down in the text, so tables stay open until the end. */
import { Result } from "effect"
import { ParseError, parseTOML, type AST } from "toml-eslint-parser"
import type { Position, Report } from "../Problem.ts"
import { DEEPEST, type TreeNode } from "./Tree.ts"

export const parseToml = (text: string, report: Report): TreeNode | undefined => {
  const parsed = Result.try(() => parseTOML(text.replace(/^\uFEFF/, "")))
  if (Result.isFailure(parsed)) {
    reportSyntax(parsed.failure, report)
    return undefined
  }
  const [top] = parsed.success.body
  const root = new OpenTable({ line: 1, column: 1 }, 0)
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
class OpenTable {
  readonly kind = "open"
  readonly at: Position
  readonly depth: number
  readonly children = new Map<string | number, { readonly at: Position; readonly value: OpenTable | TreeNode }>()

  constructor(at: Position, depth: number) {
    this.at = at
    this.depth = depth
  }

  /** Where it is new, it stands where it is first named. */
  enter(key: string | number, at: Position): OpenTable {
    const known = this.children.get(key)?.value
    if (known?.kind === "open") return known
    const value = new OpenTable(at, this.depth + 1)
    this.children.set(key, { at, value })
    return value
  }

  close(report: Report): TreeNode {
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
const addField = (table: OpenTable, { key: { keys }, value }: AST.TOMLKeyValue, report: Report): void => {
  let owner = table
  for (const [index, key] of keys.entries()) {
    const name = key.type === "TOMLBare" ? key.name : key.value
    if (index < keys.length - 1) owner = owner.enter(name, place(key))
    else owner.children.set(name, { at: place(key), value: toNode(value, owner.depth + 1, report) })
  }
}

const toNode = (node: AST.TOMLContentNode, depth: number, report: Report): TreeNode => {
  const at = place(node)
  if (depth > DEEPEST) return tooDeep(at, report)
  switch (node.type) {
    case "TOMLArray":
      return { kind: "list", at, items: node.elements.map((element) => toNode(element, depth + 1, report)) }
    case "TOMLInlineTable": {
      const table = new OpenTable(at, depth)
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

const tooDeep = (at: Position, report: Report): TreeNode => {
  const allowed = `at most ${DEEPEST} levels`
  report.add(at, "", { found: "more", allowed, message: `the file is nested too deeply (${allowed})` })
  return { kind: "broken", at }
}

const reportSyntax = (error: unknown, report: Report): void => {
  // Whatever else it fails with: it calls itself, and the stack was not deep enough for the text.
  if (!(error instanceof ParseError)) {
    tooDeep({ line: 1, column: 1 }, report)
    return
  }
  const said = syntaxMessages[error.message]
  const message = said === undefined ? "this is no TOML" : `this is no TOML: ${said}`
  const at = { line: error.lineNumber, column: error.column + 1 }
  report.add(at, "", { found: "text that does not parse", allowed: "TOML", message })
}

const UNREADABLE = "a value that can't be read; text needs quotes"
const UNCLOSED = "a closing bracket is missing"
const DOTS = "a dot too many in this key"

/** By what the parser says, in our own words. */
const syntaxMessages: { readonly [said: string]: string } = {
  "Unterminated string constant": "a closing quote is missing",
  "Unterminated table-key": UNCLOSED,
  "Unterminated array": UNCLOSED,
  "Unterminated inline table": UNCLOSED,
  "Empty bare keys are not allowed": "a key is missing",
  "Must be a newline":
    "something that does not belong behind the value; text needs quotes, and each field its own line",
  "Expected equal (=) token": "the equals sign is missing",
  "Unspecified values are invalid": "the value is missing",
  "Expected comma (,) token": "a comma is missing",
  "Defining a key multiple times is invalid": "this key stands in the same group twice",
  "Unexpected character": "something that does not belong here; text needs quotes",
  "Unexpected token": "something that does not belong here; text needs quotes",
  "The key, equals sign, and value must be on the same line":
    "a key, its equals sign and its value must be on one line",
  "Underscores are allowed between digits": UNREADABLE,
  "Unexpected spaces": UNREADABLE,
  "Unexpected invalid date": UNREADABLE,
  "Unexpected invalid time": UNREADABLE,
  "Leading zeros are not allowed": UNREADABLE,
  "Three or more quotes are not permitted": "too many quotes",
  "Invalid character in escape sequence": "an unknown escape sequence in \"…\"; use '…' for text with backslashes",
  "Consecutive dots are not permitted in keys": DOTS,
  "Keys cannot end with a dot": DOTS,
  "Keys cannot start with a dot": DOTS
}
