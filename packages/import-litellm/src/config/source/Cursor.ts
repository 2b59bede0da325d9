/** A place in the imported file, read as LiteLLM reads it: the last of equal keys counts, `<<` merges, numbers may be text. */
import { keyPath, shownKey, type TreeNode } from "@model-gateway/gateway/internal/config/tree/Tree"
import { looksSecret } from "./SourceSecrets.ts"

const MERGE = "<<"

export class Cursor {
  readonly node: TreeNode
  readonly path: string
  readonly file: string
  private known: ReadonlyMap<string, Cursor> | undefined

  constructor(node: TreeNode, path: string, file: string) {
    this.node = node
    this.path = path
    this.file = file
  }

  /** Everything below, as written. */
  get children(): ReadonlyArray<Cursor> {
    const { node } = this
    if (node.kind === "list") return node.items.map((item, index) => this.at(item, `${this.path}[${index}]`))
    if (node.kind !== "table") return []
    return node.entries.map(({ key, value }) => this.at(value, keyPath(this.path, shown(key))))
  }

  /** By name; null values are left out. What is merged in gives way to what the group has itself. */
  get fields(): ReadonlyMap<string, Cursor> {
    this.known ??= this.readFields()
    return this.known
  }

  private readFields(): ReadonlyMap<string, Cursor> {
    const fields = new Map<string, Cursor>()
    if (this.node.kind !== "table") return fields
    const { children } = this
    const own = this.node.entries.map(({ key }, index) => [key, children[index]] as const)
    const merged = own.flatMap(([key, value]) => (key === MERGE && value !== undefined ? mergedIn(value) : []))
    for (const [key, value] of [...merged, ...own.filter(([key]) => key !== MERGE)]) {
      if (value !== undefined && !value.isNothing) fields.set(key, value)
    }
    return fields
  }

  field(name: string): Cursor | undefined {
    return this.fields.get(name)
  }

  get items(): ReadonlyArray<Cursor> {
    return this.node.kind === "list" ? this.children : []
  }

  get isNothing(): boolean {
    return this.node.kind === "scalar" && this.node.value === null
  }

  /** Of a single value that is no list and no group. */
  get text(): string | undefined {
    const { node } = this
    if (node.kind !== "scalar" || node.value === null || node.value instanceof Date) return undefined
    return String(node.value).trim()
  }

  get number(): number | undefined {
    const { text } = this
    const value = text === undefined || text === "" ? Number.NaN : Number(text)
    return Number.isFinite(value) ? value : undefined
  }

  /** Python's YAML has more words for it. */
  get isTrue(): boolean {
    return /^(true|yes|on)$/i.test(this.text ?? "")
  }

  private at(node: TreeNode, path: string): Cursor {
    return new Cursor(node, path, this.file)
  }
}

/** A list of groups merges all of them; the first wins. */
const mergedIn = (value: Cursor): ReadonlyArray<readonly [string, Cursor]> =>
  value.node.kind === "list" ? value.items.toReversed().flatMap((one) => [...one.fields]) : [...value.fields]

/** A line that was cut in two makes a key of what was a value. */
const shown = (key: string): string => (looksSecret(key) ? "…" : /[:=]./.test(key) ? shownKey(key) : key)
