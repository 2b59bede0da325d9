/** A configuration text as a tree, the same for YAML, JSON and TOML. Each node has its line and column. */
import type { Position } from "../Problem.ts"

export interface Scalar {
  readonly kind: "scalar"
  readonly at: Position
  readonly value: string | number | boolean | null | Date
  /** Set where `${…}` was filled in: the text as the file has it (without defaults), to be shown instead of the value. */
  readonly written?: string
}

export interface List {
  readonly kind: "list"
  readonly at: Position
  readonly items: ReadonlyArray<TreeNode>
}

export interface TreeEntry {
  readonly key: string
  readonly at: Position
  readonly value: TreeNode
}

export interface TreeTable {
  readonly kind: "table"
  readonly at: Position
  readonly entries: ReadonlyArray<TreeEntry>
}

/** Could not be made out, and the problem is reported already: whoever meets it keeps quiet. */
interface Broken {
  readonly kind: "broken"
  readonly at: Position
}

export type TreeNode = Scalar | List | TreeTable | Broken

/** No configuration is nested like this; readers may recurse without care. */
export const DEEPEST = 50

/** In words, without the value. */
export const kindInWords = (node: TreeNode): string => {
  if (node.kind === "list") return "a list"
  if (node.kind === "table") return "a group of fields"
  if (node.kind === "broken" || node.value === null) return "nothing"
  if (node.value instanceof Date) return "a date"
  if (typeof node.value === "string") return "text"
  return typeof node.value === "number" ? "a number" : "true or false"
}

const PLAIN_KEY = /^[\w-]+$/

/** `models.fast`, `models["llama3:8b"]`. */
export const keyPath = (path: string, key: string): string => {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === "" ? key : `${path}.${key}`
}

const FIELD_LIKE = /^[A-Za-z][\w -]{0,30}$/

/**
 * A key that nobody expected, cut where a value may have slipped into it: `{ api_key:sk-… }` (no space after the colon) is one
 * long key in YAML, and it must not end up in a log.
 */
export const shownKey = (key: string): string => {
  if (FIELD_LIKE.test(key)) return key
  const start = /^\w{0,20}(?=[:=])|^.{0,4}/.exec(key)?.[0] ?? ""
  return start === key ? key : `${start}…`
}
