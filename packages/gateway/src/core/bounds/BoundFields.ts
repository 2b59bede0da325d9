/**
 * Which request fields may cost something, by operation and vendor (`fields.json`). `free` and `priced` fields pass with
 * their contents, `fields` are checked inside, a list of texts is all allowed values. A budget removes all other fields.
 */
import { Predicate } from "effect"
import { type JsonObject, without } from "../domain/Json.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import written from "./fields.json" with { type: "json" }

/** The name of a shape, the values that a field may have, or a shape itself. */
type WrittenRule = string | ReadonlyArray<string> | WrittenShape

interface WrittenShape {
  /** Names of fields, with spaces between them. */
  readonly free?: string
  readonly priced?: string
  readonly fields?: { readonly [name: string]: WrittenRule }
}

interface WrittenFields {
  readonly shapes: { readonly [name: string]: WrittenShape }
  readonly operations: { readonly [operation: string]: WrittenShape }
  /** What a vendor has beyond that. */
  readonly vendors: { readonly [vendor: string]: { readonly [operation: string]: WrittenShape } }
}

type Shape = Map<string, FieldRule>
type FieldRule = "pass" | ReadonlySet<unknown> | Shape

/** What a deployment is sent of a request. */
export interface SentFields {
  /** The caller's own object if nothing was removed. */
  readonly request: CallRequest
  /** Where the removed fields stood, such as `messages[].colour`: each once, and no more than `MOST_NAMES`. */
  readonly removed: ReadonlyArray<string>
}

const MOST_NAMES = 32
const MOST_CHARACTERS = 128

const { operations, shapes, vendors } = written as unknown as WrittenFields

const named = new Map<string, Shape>(Object.keys(shapes).map((name) => [name, new Map()]))

const addTo = (shape: Shape, { fields = {}, free = "", priced = "" }: WrittenShape): Shape => {
  for (const name of `${free} ${priced}`.split(" ")) if (name !== "") shape.set(name, "pass")
  for (const [name, rule] of Object.entries(fields)) {
    if (typeof rule === "string") shape.set(name, named.get(rule)!)
    else shape.set(name, "length" in rule ? new Set<unknown>(rule) : addTo(new Map(), rule))
  }
  return shape
}

for (const [name, shape] of named) addTo(shape, shapes[name]!)

const shapesOf = (written: { readonly [operation: string]: WrittenShape }, base?: ReadonlyMap<string, Shape>) =>
  new Map(Object.entries(written).map(([name, shape]) => [name, addTo(new Map(base?.get(name)), shape)]))

const common = shapesOf(operations)
const own = new Map(Object.entries(vendors).map(([vendor, written]) => [vendor, shapesOf(written, common)]))

/** Undefined for an operation that is not listed, such as one that an embedder adds. */
const shapeOf = (operation: OperationName, vendor: string): Shape | undefined =>
  own.get(vendor)?.get(operation) ?? common.get(operation)

export const knownFields = (request: CallRequest, operation: OperationName, vendor: string): SentFields => {
  const shape = shapeOf(operation, vendor)
  if (shape === undefined) return { request, removed: [] }
  const removed = new Set<string>()
  const body = knownIn(request.body, shape, "", removed) as JsonObject
  const files = request.files?.filter(({ field }) => shape.has(field) || !removed.add(field.slice(0, MOST_CHARACTERS)))
  if (removed.size === 0) return { request, removed: [] }
  return { request: { ...request, body, ...(files === undefined ? undefined : { files }) }, removed: [...removed] }
}

/** Fields by which a caller chooses who pays the provider: the operator's decision, unless the deployment says otherwise. */
const BILLING = ["workspace_id", "billing_policy"]

export const withoutBilling = (request: CallRequest): SentFields => {
  const removed = BILLING.filter((name) => request.body[name] !== undefined && request.body[name] !== null)
  if (removed.length === 0) return { request, removed }
  return { request: { ...request, body: without(request.body, BILLING) }, removed }
}

const knownIn = (value: unknown, shape: Shape, path: string, removed: Set<string>): unknown => {
  if (Array.isArray(value)) {
    const within = `${path}[]`
    let known: Array<unknown> = value
    for (const [index, one] of value.entries()) {
      const found = knownIn(one, shape, within, removed)
      if (found === one) continue
      if (known === value) known = [...value]
      known[index] = found
    }
    return known
  }
  if (!Predicate.isObject(value)) return value
  let known: Record<string, unknown> = value
  for (const name in value) {
    const one = value[name]
    const rule = one === null || one === undefined ? "pass" : shape.get(name)
    if (rule === "pass" || (rule instanceof Set && rule.has(one))) continue
    const at = path === "" ? name : `${path}.${name}`
    const within = rule instanceof Map ? knownIn(one, rule, at, removed) : undefined
    if (within === one) continue
    if (known === value) known = { ...value }
    if (within !== undefined) known[name] = within
    else {
      if (removed.size < MOST_NAMES) removed.add(at.slice(0, MOST_CHARACTERS))
      delete known[name]
    }
  }
  return known
}
