/**
 * Ids of responses and their items are the gateway's own, so that a conversation can go on at another provider and no provider is
 * asked for what it never kept.
 */
import { randomUUID } from "node:crypto"

/** The ids of one response. */
export class OwnIds {
  readonly response = ownId("resp")
  private readonly byId = new Map<string, string>()
  private readonly byPlace = new Map<number, string>()

  /** The own id of the item that the provider calls `id`, or that stands at `place` of the output; either may be unknown. */
  of(id: unknown, place: number | undefined, type: unknown): string {
    const name = typeof id === "string" && id !== "" ? id : undefined
    const known = name === undefined ? undefined : this.byId.get(name)
    const own = known ?? (place === undefined ? undefined : this.byPlace.get(place)) ?? ownId(prefixOf(name, type))
    if (name !== undefined) this.byId.set(name, own)
    if (place !== undefined) this.byPlace.set(place, own)
    return own
  }
}

/** Vendors' clients know the kind of an item by how its id begins. */
const PREFIXES: { readonly [type: string]: string } = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  compaction: "cmp"
}

const prefixOf = (id: string | undefined, type: unknown): string =>
  PREFIXES[String(type)] ?? /^([a-z]{1,8})_/.exec(id ?? "")?.[1] ?? "item"

export const ownId = (prefix: string): string => `${prefix}_gw${randomUUID().replaceAll("-", "")}`

/** Whether the gateway made this id. */
export const isOwnId = (id: unknown): boolean => typeof id === "string" && /^[a-z]+_gw[0-9a-f]{32}$/.test(id)
