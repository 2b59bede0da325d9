/** YAML and JSON to a tree. Said in our own words, because the library's messages quote the text, and the text holds keys. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type ErrorCode,
  type Node as YamlNode
} from "yaml"
import type { Position, Report } from "../Problem.ts"
import { DEEPEST, type TreeEntry, type TreeNode } from "./Tree.ts"

/** A few lines of nested aliases can stand for billions of nodes. */
const MOST_NODES = 50_000

/**
 * Undefined when the text is no YAML at all; what can be read in spite of a problem is returned beside it. `mayRepeatKeys`: for files of
 * others, whose readers take the last of them.
 */
export const parseYaml = (text: string, report: Report, mayRepeatKeys = false): TreeNode | undefined => {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: "core",
    uniqueKeys: !mayRepeatKeys
  })
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }

  let readable = true
  for (const error of document.errors) {
    const goesOn = error.code === "DUPLICATE_KEY" || error.code === "MULTIPLE_DOCS"
    // The first mistake in the syntax makes the ones after it.
    if (!goesOn && !readable) continue
    readable &&= goesOn
    const at = place(error.pos[0])
    report.add(at, "", syntaxProblem(error.code, text.split("\n")[at.line - 1] ?? ""))
  }
  for (const warning of document.warnings) report.add(place(warning.pos[0]), "", syntaxProblem(warning.code, ""))
  if (!readable) return undefined
  return new Converter(document, place, report).node(document.contents, { line: 1, column: 1 }, 0)
}

/** As `parseYaml`, for text that must be JSON to the letter. */
export const parseJson = (text: string, report: Report): TreeNode | undefined => {
  const tree = parseYaml(text, report)
  const offset = report.isEmpty ? notJsonFrom(text.replace(/^\uFEFF/, "")) : undefined
  if (offset !== undefined) {
    const message =
      "this is no JSON: comments, single quotes, bare words and trailing commas need a file called .yaml instead"
    const before = text.slice(0, offset).split("\n")
    const at = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    report.add(at, "", { found: "another language", allowed: "JSON", message })
    return undefined
  }
  return tree
}

/** Where the first thing stands that is not JSON, as an offset. Undefined: all of it is. */
const notJsonFrom = (text: string): number | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return Number(/ position (\d+)/.exec(String(error))?.[1] ?? 0)
  }
}

class Converter {
  private readonly document: Document.Parsed
  private readonly place: (offset: number) => Position
  private readonly report: Report
  private nodes = 0
  private saidTooLarge = false

  constructor(document: Document.Parsed, place: (offset: number) => Position, report: Report) {
    this.document = document
    this.place = place
    this.report = report
  }

  /** `outer`: where to point when the node has no text of its own, as in `key:` followed by nothing. */
  node(node: YamlNode | null | undefined, outer: Position, depth: number): TreeNode {
    const at = node?.range ? this.place(node.range[0]) : outer
    if (++this.nodes > MOST_NODES || depth > DEEPEST) return this.tooLarge(at)
    if (isAlias(node)) {
      const target = node.resolve(this.document)
      return target === undefined ? this.unknownAnchor(at) : this.node(target, at, depth + 1)
    }
    if (isMap<YamlNode | null, YamlNode | null>(node)) {
      const entries = node.items.map((pair): TreeEntry => {
        const keyAt = pair.key?.range ? this.place(pair.key.range[0]) : at
        return { key: this.key(pair.key, keyAt), at: keyAt, value: this.node(pair.value, keyAt, depth + 1) }
      })
      return { kind: "table", at, entries }
    }
    if (isSeq<YamlNode>(node)) {
      return { kind: "list", at, items: node.items.map((item) => this.node(item, at, depth + 1)) }
    }
    const value = isScalar(node) ? node.value : null
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return { kind: "scalar", at, value }
    }
    // `key:` with nothing after it has a range of its own, behind the colon; the key is the better place to point at.
    return { kind: "scalar", at: outer, value: null }
  }

  private key(node: YamlNode | null, at: Position): string {
    if (isScalar(node)) return node.source ?? String(node.value)
    this.report.add(at, "", {
      found: "a list, a group or an alias as a key",
      allowed: "text",
      message: "a key must be text"
    })
    return ""
  }

  private tooLarge(at: Position): TreeNode {
    if (!this.saidTooLarge) {
      const allowed = `at most ${MOST_NODES} values, ${DEEPEST} levels`
      const message = `the file is too large or too deep once its aliases are filled in (${allowed})`
      this.report.add(at, "", { found: "more", allowed, message })
    }
    this.saidTooLarge = true
    return { kind: "broken", at }
  }

  private unknownAnchor(at: Position): TreeNode {
    this.report.add(at, "", {
      found: "an alias (*) without its anchor",
      allowed: "an alias whose anchor (&) stands further up",
      message: "an alias (*) whose anchor (&) does not stand further up; text that begins with * needs quotes"
    })
    return { kind: "broken", at }
  }
}

const syntaxProblem = (code: ErrorCode, line: string) => {
  const bare = /[{[,]([^"'#]*\s)?\$\{/.test(line.slice(0, 1_000))
  const hint = bare ? '; inside { } and [ ] write "${NAME}" with quotes' : ""
  return {
    found: "text that does not parse",
    allowed: "YAML",
    message: `${syntaxMessages[code] ?? "this is no YAML"}${hint}`
  }
}

const syntaxMessages: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*) can't have a tag or an anchor",
  BAD_ALIAS: "an alias (*) or anchor (&) that can't be read",
  BAD_COLLECTION_TYPE: "tags (!) are not used in this file",
  BAD_DIRECTIVE: "a directive (%) that can't be read; text that begins with % needs quotes",
  BAD_DQ_ESCAPE: "an unknown escape sequence in \"…\"; use '…' for text with backslashes",
  BAD_INDENT: "the indentation is off here",
  BAD_SCALAR_START: "text that begins with a reserved character (@, `, %, |, >) needs quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a second colon, or an indentation that fits no line above; text with a colon in it needs quotes",
  BLOCK_IN_FLOW: "a block can't stand inside { } or [ ]",
  DUPLICATE_KEY: "this key stands in the same group twice",
  KEY_OVER_1024_CHARS: "the key is too long",
  MISSING_CHAR: "something is missing here: a closing quote, a comma, a colon or the space after it",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line and end with a colon",
  MULTIPLE_DOCS: "a second document begins here (---); the file must hold one",
  NON_STRING_KEY: "a key must be text",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
  TAB_AS_INDENT: "tabs can't indent; use spaces",
  TAG_RESOLVE_FAILED: "tags (!) are not used in this file; text that begins with ! needs quotes",
  UNEXPECTED_TOKEN: "something that does not belong here, perhaps a bracket or text that needs quotes"
}
