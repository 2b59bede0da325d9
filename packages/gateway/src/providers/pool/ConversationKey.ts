/** Which key a conversation should go on with: prompt caches and signed or encrypted thoughts belong to the account of a key. */
import { createHash } from "node:crypto"
import { LruMap } from "../../core/collections/LruMap.ts"
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { unseal } from "../responses/Sealed.ts"
import { isObject } from "../json/LooseJson.ts"

/** Names the account of a key in seals. It says nothing about the key. */
export const accountOf = (key: string): string =>
  createHash("sha256").update(`model-gateway account ${key}`).digest("base64url").slice(0, 8)

const REMEMBERED = 10_000

export class ConversationKeys {
  private readonly accounts: ReadonlyArray<string>
  /** Indices of keys, by the turns that they answered. */
  private readonly answered = new LruMap<number>(REMEMBERED)

  constructor(accounts: ReadonlyArray<string>) {
    this.accounts = accounts
  }

  /** The key that the history's last seal names, else the one that answered the turns before; undefined: any. */
  preferred(call: UpstreamCall, now: number): number | undefined {
    const { history } = call.request
    let end = history.length
    while (end > 0 && !isOfModel(history[end - 1])) end--
    let start = end
    while (start > 0 && isOfModel(history[start - 1])) start--
    if (start === end) return undefined
    for (let at = end - 1; at >= start; at--) {
      const account = accountIn(history[at], call.deployment.provider)
      const index = account === undefined ? -1 : this.accounts.indexOf(account)
      if (index >= 0) return index
    }
    return this.answered.get(nameOf(call, start), now)
  }

  keep(call: UpstreamCall, key: number, now: number): void {
    const { history } = call.request
    if (history.length > 0) this.answered.keep(nameOf(call, history.length), key, now)
  }
}

const OUTPUTS = /_output$/

/** A turn of the assistant, or an item of its response. */
const isOfModel = (turn: unknown): boolean => {
  if (!isObject(turn)) return false
  const { role, type } = turn
  return role === "assistant" || (role === undefined && typeof type === "string" && !OUTPUTS.test(type))
}

const accountIn = (turn: unknown, provider: string): string | undefined => {
  if (!isObject(turn)) return undefined
  const blocks = Array.isArray(turn["content"]) ? turn["content"] : []
  for (const { data, encrypted_content: content } of [turn, ...blocks.filter(isObject)]) {
    const sealed = unseal(content ?? data)
    if (sealed?.provider === provider && sealed.account !== undefined) return sealed.account
  }
  return undefined
}

/** Cache marks move from turn to turn, so only what is said counts. */
const nameOf = ({ callerId = "", request: { history } }: UpstreamCall, end: number): string => {
  const hash = createHash("sha1").update(callerId)
  for (let at = 0; at < end; at++) hash.update(`\n${at} `).update(said(history[at]))
  return hash.digest("base64url")
}

/** Longer texts are identified by their beginning, end and length. */
const READ_CHARACTERS = 256

const said = (value: unknown): string => {
  if (typeof value === "string") {
    if (value.length <= 2 * READ_CHARACTERS) return value
    return `${value.slice(0, READ_CHARACTERS)}${value.slice(-READ_CHARACTERS)}${value.length}`
  }
  if (Array.isArray(value)) return value.map(said).join("\n")
  return isObject(value) ? said(value["text"] ?? value["content"] ?? value["output"] ?? "") : ""
}
