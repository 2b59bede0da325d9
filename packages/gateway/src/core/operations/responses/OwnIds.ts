/** Responses and items have the gateway's own ids, so that a conversation can continue at another provider. */
import { randomUUID } from "node:crypto"

/** Vendors' clients know the kind of an item by how its id begins. */
const PREFIXES: { readonly [type: string]: string } = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  compaction: "cmp"
}

/** How the id of an item of that type begins; `id`: what the provider calls it. */
export const prefixOf = (type: unknown, id?: string): string =>
  PREFIXES[String(type)] ?? /^([a-z]{1,8})_/.exec(id ?? "")?.[1] ?? "item"

export const ownId = (prefix: string): string => `${prefix}_gw${randomUUID().replaceAll("-", "")}`

/** Whether the gateway made this id. */
export const isOwnId = (id: unknown): boolean => typeof id === "string" && /^[a-z]+_gw[0-9a-f]{32}$/.test(id)
