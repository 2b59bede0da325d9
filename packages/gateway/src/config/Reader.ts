/**
 * Reading the tree. A `Here` is a node, its path and the report. A reader returns the value, or undefined when there is none
 * to be had; then the reason is in the report, and the caller goes on as if the field had been left out. What comes of that is
 * thrown away at the end if anything was reported.
 *
 * What a message may show: names and numbers written in the file. Never values filled in by `${…}`, values of secret fields,
 * or text that stands where a group belongs (it may be a key that slipped).
 */
import type { Position, Report } from "./Problem.ts"
import { didYouMean, listed } from "./Suggest.ts"
import { keyPath, kindInWords, shownKey, type Entry, type Node } from "./tree/Tree.ts"

export type Reader<A> = (here: Here) => A | undefined

export class Here {
  readonly node: Node
  readonly path: string
  readonly report: Report

  constructor(node: Node, path: string, report: Report) {
    this.node = node
    this.path = path
    this.report = report
  }

  get at(): Position {
    return this.node.at
  }

  /** What stands here, as far as it may be shown. */
  get shown(): string {
    if (this.node.kind !== "scalar" || this.node.value === null) return kindInWords(this.node)
    if (this.node.written !== undefined) return `${JSON.stringify(this.node.written)} (filled in)`
    if (this.node.value instanceof Date) return kindInWords(this.node)
    return typeof this.node.value === "string" ? JSON.stringify(shortened(this.node.value)) : String(this.node.value)
  }

  /** Whether the value (also) comes from outside the file. Then no message may repeat it. */
  get isFilledIn(): boolean {
    return this.node.kind === "scalar" && this.node.written !== undefined
  }

  /** `70000 is not a whole number from 0 to 65535` */
  expected(allowed: string, found: string = this.shown): undefined {
    this.problem(`${found} is not ${allowed}`, allowed, found)
  }

  /** `"opnai" is not a provider of this file; did you mean "openai"? (providers: openai, vllm)` */
  unknownName(name: string, what: string, plural: string, names: ReadonlyArray<string>): undefined {
    const allowed = listed(names)
    this.problem(`${this.shown} is not ${what}${didYouMean(name, names)} (${plural}: ${allowed})`, allowed)
  }

  problem(message: string, allowed: string, found: string = this.shown, at: Position = this.at): undefined {
    this.report.add(at, this.path, { found, allowed, message })
  }

  /** Hands a node below this one to a reader, unless what is wrong with it has been said. */
  read<A>(node: Node, path: string, reader: Reader<A>): A | undefined {
    return node.kind === "broken" ? undefined : reader(new Here(node, path, this.report))
  }
}

/** Text cut to what fits in a line. */
const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 57)}…`)

/** A group whose fields are known. A field without a value (`key:`) counts as left out. */
export class Fields<Name extends string> {
  readonly here: Here
  /** False where something else stands, which is reported; then no field counts as missing. */
  readonly isGroup: boolean
  private readonly values = new Map<string, Node>()

  constructor(here: Here, known: ReadonlyArray<Name>) {
    this.here = here
    const entries = entriesAt(here)
    this.isGroup = entries !== undefined
    for (const { key, at, value } of entries ?? []) {
      if ((known as ReadonlyArray<string>).includes(key)) {
        if (!isNothing(value)) this.values.set(key, value)
        continue
      }
      const shown = shownKey(key)
      const slipped = /^\w+[:=]/.test(key) ? "; is a space missing after the colon?" : didYouMean(key, known)
      const message = `${JSON.stringify(shown)} is not a field here${slipped} (fields: ${known.join(", ")})`
      here.report.add(at, keyPath(here.path, shown), {
        found: JSON.stringify(shown),
        allowed: known.join(", "),
        message
      })
    }
  }

  has(name: Name): boolean {
    return this.values.has(name)
  }

  /** Undefined when the field is left out or wrong. */
  get<A>(name: Name, reader: Reader<A>): A | undefined {
    const node = this.values.get(name)
    return node === undefined ? undefined : this.here.read(node, keyPath(this.here.path, name), reader)
  }

  /** As `get`; a missing field is a problem. `allowed`: what should stand there. */
  require<A>(name: Name, allowed: string, reader: Reader<A>): A | undefined {
    if (!this.has(name)) this.missing(name, `is required: ${allowed}`, allowed)
    return this.get(name, reader)
  }

  /** `"base_url" is required: …` */
  missing(name: Name, message: string, allowed: string): void {
    if (!this.isGroup) return
    this.here.report.add(this.here.at, keyPath(this.here.path, name), {
      found: "nothing",
      allowed,
      message: `${JSON.stringify(name)} ${message}`
    })
  }
}

/** Nothing at all stands for an empty group. */
const entriesAt = (here: Here): ReadonlyArray<Entry> | undefined => {
  if (here.node.kind === "table") return here.node.entries
  return isNothing(here.node) ? [] : here.expected("a group of fields", kindInWords(here.node))
}

const isNothing = (node: Node): boolean => node.kind === "scalar" && node.value === null

/** The entries of a group whose keys are the operator's own names. `read` gets the key and where it stands. */
export const record =
  <A>(read: (key: string, here: Here, keyAt: Position) => A | undefined): Reader<ReadonlyArray<A>> =>
  (here) =>
    entriesAt(here)?.flatMap(({ key, at, value }) => {
      const one = here.read(value, keyPath(here.path, key), (inner) => read(key, inner, at))
      return one === undefined ? [] : [one]
    })

/** A list; elements that are wrong are left out. */
export const list =
  <A>(allowed: string, reader: Reader<A>, { mayBeEmpty = false } = {}): Reader<ReadonlyArray<A>> =>
  (here) => {
    if (here.node.kind !== "list") return here.expected(allowed, kindInWords(here.node))
    if (here.node.items.length === 0 && !mayBeEmpty)
      return here.problem(`this list is empty; it must hold ${allowed}`, allowed)
    return here.node.items.flatMap((item, index) => {
      const one = here.read(item, `${here.path}[${index}]`, reader)
      return one === undefined ? [] : [one]
    })
  }

/** One, or a list of them. */
export const oneOrMore =
  <A>(allowed: string, reader: Reader<A>): Reader<ReadonlyArray<A>> =>
  (here) => {
    if (here.node.kind === "list") return list(allowed, reader)(here)
    const one = reader(here)
    return one === undefined ? undefined : [one]
  }
