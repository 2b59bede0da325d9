/**
 * A place in the tree: a node, its path and the report.
 *
 * What a message may show: names and numbers written in the file. Never values filled in by `${…}`, values of secret fields,
 * or text that stands where a group belongs (it may be a key that slipped).
 */
import type { Position, Report } from "./Problem.ts"
import { keyPath, kindInWords, type TreeNode } from "./tree/Tree.ts"

/** Text as a message shows it: quoted, and cut to what fits in a line. */
export const quoted = (text: string): string => JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 57)}…`)

interface KeyedHere {
  readonly key: string
  readonly keyAt: Position
  readonly here: Here
}

export class Here {
  readonly node: TreeNode
  readonly path: string
  readonly report: Report

  constructor(node: TreeNode, path: string, report: Report) {
    this.node = node
    this.path = path
    this.report = report
  }

  get at(): Position {
    return this.node.at
  }

  get shown(): string {
    if (this.node.kind !== "scalar" || this.node.value === null) return kindInWords(this.node)
    if (this.node.written !== undefined) return `${JSON.stringify(this.node.written)} (filled in)`
    if (this.node.value instanceof Date) return kindInWords(this.node)
    return typeof this.node.value === "string" ? quoted(this.node.value) : String(this.node.value)
  }

  /** Undefined where something else stands. */
  get text(): string | undefined {
    return this.node.kind === "scalar" && typeof this.node.value === "string" ? this.node.value : undefined
  }

  /** Whether the value (also) comes from outside the file. Then no message may repeat it. */
  get isFilledIn(): boolean {
    return this.node.kind === "scalar" && this.node.written !== undefined
  }

  get isNothing(): boolean {
    return this.node.kind === "scalar" && this.node.value === null
  }

  get isGroup(): boolean {
    return this.node.kind === "table" || this.isNothing
  }

  /** Empty where this is no group. */
  get entries(): ReadonlyArray<KeyedHere> {
    if (this.node.kind !== "table") return []
    return this.node.entries.map(({ at, key, value }) => ({
      key,
      keyAt: at,
      here: new Here(value, keyPath(this.path, key), this.report)
    }))
  }

  /** Empty where this is no list. */
  get items(): ReadonlyArray<Here> {
    if (this.node.kind !== "list") return []
    return this.node.items.map((item, index) => new Here(item, `${this.path}[${index}]`, this.report))
  }

  /** A field of this group. One without a value (`key:`) counts as left out. */
  field(key: string): Here | undefined {
    const field = this.entries.findLast((entry) => entry.key === key)?.here
    return field?.isNothing === true ? undefined : field
  }

  has(key: string): boolean {
    return this.field(key) !== undefined
  }

  /** `70000 is not a whole number from 0 to 65535` */
  expected(allowed: string, found: string = this.shown): void {
    this.problem(`${found} is not ${allowed}`, allowed, found)
  }

  problem(message: string, allowed: string, found: string = this.shown, at: Position = this.at): void {
    this.report.add(at, this.path, { found, allowed, message })
  }

  /** `"base_url" is required where the vendor is not a known one: its address`. `when`: what stands before the colon. */
  missing(key: string, needs: string, { allowed = needs, when = "" } = {}): void {
    const message = `${JSON.stringify(key)} is required${when}: ${needs}`
    this.report.add(this.at, keyPath(this.path, key), { found: "nothing", allowed, message })
  }
}
