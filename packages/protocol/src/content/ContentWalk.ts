/** Visits the texts of a body and puts changed ones back. What did not change is not copied. */
import { Predicate, Result } from "effect"
import type { ContentBody, ContentKind, ContentRule } from "./FieldRules.ts"

export const roles = ["system", "user", "assistant", "tool", "document"] as const

export type ContentRole = (typeof roles)[number]

/** Where a text stands. It changes with the walk: read it at once. */
export interface ContentPlace {
  readonly kind: ContentKind
  readonly role: ContentRole
  /** The text goes on in later events of the stream. */
  readonly isPiece: boolean
  /** A JSON pointer. */
  readonly path: string
  /** Numbers of the choice, item and part that hold it, for texts of a stream. */
  readonly channel: string
}

export interface ContentVisitor {
  /** Returns the text to have in its place. That of a member's name is ignored. */
  readonly text: (text: string, place: ContentPlace) => string
  /** Something that can't be read: images, recordings, tokens. */
  readonly media?: (path: string) => void
  /** Called with what a field of another kind holds, such as all arguments of a tool. True: its texts are not visited. */
  readonly field?: (value: unknown, place: ContentPlace) => boolean
  /** Fields that repeat texts in another form are removed, and named here. Left out: they are texts like others. */
  readonly removed?: (path: string) => void
}

interface WalkStart {
  readonly role: ContentRole
  readonly kind?: ContentKind
}

/** The body with the texts that `visitor` returned. */
export const walkContent = <Body>(body: Body, rule: ContentRule, visitor: ContentVisitor, start: WalkStart): Body =>
  new ContentWalk(visitor, start).value(body, rule) as Body

const DATA_URL = /^data:[^,]{0,200};base64,/
const BASE64 = /^(?:data:[^,]{0,200};base64,)?[\w+/=-]*$/
const MOST_LOOKED_AT = 400

/** Card numbers have 13 digits or more; smaller numbers are no texts. */
const LEAST_NUMBER = 1e12

/** The role of texts in such a field, and in objects that name one. */
const fieldRoles: { readonly [name: string]: ContentRole } = { system: "system", instructions: "system" }
const ownRoles: { readonly [name: string]: ContentRole } = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool"
}

const NUMBERED = ["index", "output_index", "content_index", "summary_index"] as const

class ContentWalk implements ContentPlace {
  kind: ContentKind
  role: ContentRole
  isPiece = false
  channel = ""
  private readonly visitor: ContentVisitor
  private readonly names: Array<string | number> = []

  constructor(visitor: ContentVisitor, start: WalkStart) {
    this.visitor = visitor
    this.kind = start.kind ?? "text"
    this.role = start.role
  }

  get path(): string {
    return this.names.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
  }

  value(value: unknown, rule: ContentRule | undefined, holder?: ContentBody): unknown {
    if (typeof value === "string") return this.text(value, rule, holder)
    if (typeof value === "number") return this.number(value)
    if (typeof value !== "object" || value === null) return value
    return Array.isArray(value) ? this.list(value, rule) : this.object(value as ContentBody, rule)
  }

  private text(text: string, rule: ContentRule | undefined, holder: ContentBody | undefined): string {
    if (this.isMedia(text, rule, holder)) {
      this.visitor.media?.(this.path)
      return text
    }
    if (text === "" && !this.isPiece) return text
    if (this.kind !== "tool_arguments" || this.isPiece) return this.visitor.text(text, this)
    const parsed = jsonIn(text)
    if (parsed === undefined) return this.visitor.text(text, this)
    const changed = this.value(parsed, undefined)
    return changed === parsed ? text : JSON.stringify(changed)
  }

  private isMedia(text: string, rule: ContentRule | undefined, holder: ContentBody | undefined): boolean {
    if (rule?.mark === "url") return DATA_URL.test(text)
    return rule?.mark === "data" && holder?.["type"] !== "text" && BASE64.test(text.slice(0, MOST_LOOKED_AT))
  }

  /** A number that may be a card's becomes a text only where it is masked. */
  private number(value: number): unknown {
    if (Math.abs(value) < LEAST_NUMBER || !Number.isInteger(value)) return value
    const text = String(value)
    const changed = this.visitor.text(text, this)
    return changed === text ? value : changed
  }

  private list(items: ReadonlyArray<unknown>, rule: ContentRule | undefined): unknown {
    if (rule?.mark === "tokens" && hasNumbers(items)) {
      this.visitor.media?.(this.path)
      return items
    }
    const each = rule?.below.get("*")
    const { channel } = this
    let changed: Array<unknown> | undefined
    for (let index = 0; index < items.length; index++) {
      if (!isNumbered(items[index])) this.channel = `${channel}index=${index}/`
      const item = this.below(index, items[index], each ?? inherited(rule))
      if (item !== items[index]) (changed ??= [...items])[index] = item
    }
    this.channel = channel
    return changed ?? items
  }

  private object(object: ContentBody, rule: ContentRule | undefined): unknown {
    const { channel, role } = this
    const own = object["role"]
    if (typeof own === "string") this.role = ownRoles[own] ?? role
    for (const name of NUMBERED) {
      const number = object[name]
      if (typeof number === "number") this.channel += `${name}=${number}/`
    }
    // Google has thoughts and texts under one name.
    if (object["thought"] === true) this.channel += "thought/"
    let changed: Record<string, unknown> | undefined
    for (const name of Object.keys(object)) {
      const found = rule?.below.get(name)
      if (found?.mark === "none") continue
      if (found?.mark === "repeats" && this.visitor.removed !== undefined && object[name] !== null) {
        this.names.push(name)
        this.visitor.removed(this.path)
        this.names.pop()
        changed ??= { ...object }
        delete changed[name]
        continue
      }
      if (found === undefined) this.name(name)
      const before = object[name]
      const other = typeof before === "string" ? rule?.below.get("?") : undefined
      const after = this.below(name, before, found ?? other, object)
      if (after !== before) (changed ??= { ...object })[name] = after
    }
    this.role = role
    this.channel = channel
    return changed ?? object
  }

  private below(name: string | number, value: unknown, rule: ContentRule | undefined, holder?: ContentBody): unknown {
    const { isPiece, kind, role } = this
    this.names.push(name)
    if (rule?.kind !== undefined) this.kind = rule.kind
    if (rule?.mark === "piece") this.isPiece = true
    if (typeof name === "string") this.role = fieldRoles[name] ?? role
    const isVisited = rule?.kind === undefined || this.visitor.field?.(value, this) !== true
    const after = isVisited ? this.value(value, rule, holder) : value
    this.names.pop()
    this.kind = kind
    this.isPiece = isPiece
    this.role = role
    return after
  }

  /** Names are short, and nothing may rewrite them. */
  private name(name: string): void {
    const { kind } = this
    this.names.push(name)
    this.kind = "name"
    this.visitor.text(name, this)
    this.kind = kind
    this.names.pop()
  }
}

/** Lists of lists, as of tokens, have the rule of the list. */
const inherited = (rule: ContentRule | undefined): ContentRule | undefined =>
  rule?.mark === "tokens" || rule?.mark === "url" || rule?.mark === "data" ? rule : undefined

const isNumbered = (item: unknown): boolean => Predicate.hasProperty(item, "index") && typeof item.index === "number"

const hasNumbers = (items: ReadonlyArray<unknown>): boolean => typeof items[0] === "number"

/** Deeper JSON is read as a text. */
const MAX_DEPTH = 200

/** Undefined: it is no JSON of an object or a list, or too deep. */
const jsonIn = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined
  const parsed = Result.getOrUndefined(Result.try(() => JSON.parse(text) as unknown))
  return parsed !== undefined && isShallow(parsed, MAX_DEPTH) ? parsed : undefined
}

const isShallow = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  return left > 0 && Object.values(value).every((one) => isShallow(one, left - 1))
}
