/**
 * Ids of tool calls in the form that a provider takes. Histories from elsewhere break it (`functions.f:0`, `toolu_…` at Mistral, `call_0`
 * in every turn). No two calls of a request share a name here, and every result finds its own call.
 *
 * An id is renamed the same way in every turn of a conversation, so that prompt caches stay valid.
 */
import { createHash } from "node:crypto"

export interface IdForm {
  readonly isValid: (id: string) => boolean
  /** A valid name for an id. `copy` counts from 1: a name that is taken gets another copy. */
  readonly rename: (id: string, copy: number, call: OpenedCall) => string
}

/** The function that a call names, and how many calls stand before it in the request. */
interface OpenedCall {
  readonly name: string
  readonly order: number
}

export class ToolIds {
  private readonly form: IdForm
  private readonly taken: Set<string>
  private readonly made = new Set<string>()
  /** Names given to calls that wait for their result, by the caller's id. */
  private readonly waiting = new Map<string, Array<string>>()
  private readonly latest = new Map<string, string>()
  private order = 0

  /** `ids`: every call id of the request; those that are valid as they are keep their name. */
  constructor(form: IdForm, ids: ReadonlyArray<string>) {
    this.form = form
    this.taken = new Set(ids.filter(form.isValid))
  }

  open(id: string, called = ""): string {
    const order = this.order++
    const isOwn = !this.latest.has(id) && !this.made.has(id) && this.form.isValid(id)
    const name = isOwn ? id : this.free(id, { name: called, order })
    this.taken.add(name)
    this.latest.set(id, name)
    const queue = this.waiting.get(id)
    if (queue === undefined) this.waiting.set(id, [name])
    else queue.push(name)
    return name
  }

  /** The name of the call that a result answers. A result without a call gets one that is no call's: the provider will say so. */
  answered(id: string): string {
    const known = this.waiting.get(id)?.shift() ?? this.latest.get(id)
    if (known !== undefined) return known
    const name = this.form.isValid(id) && !this.made.has(id) ? id : this.free(id, { name: "", order: this.order })
    this.taken.add(name)
    this.latest.set(id, name)
    return name
  }

  private free(id: string, call: OpenedCall): string {
    for (let copy = 1; ; copy++) {
      const name = this.form.rename(id, copy, call)
      if (this.taken.has(name)) continue
      this.taken.add(name)
      this.made.add(name)
      return name
    }
  }
}

/** `^[a-zA-Z0-9_-]+$`. What is not allowed becomes its code point between hyphens. */
export const plainIds: IdForm = {
  isValid: (id) => /^[a-zA-Z0-9_-]+$/.test(id),
  rename: (id, copy) => {
    const name = id === "" ? "_" : id.replace(/[^a-zA-Z0-9_-]/gu, (sign) => `-${sign.codePointAt(0)!.toString(16)}-`)
    return copy === 1 ? name : `${name}_${copy}`
  }
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/**
 * Exactly `length` letters and digits, made of a hash of the whole id: a piece of it would be the same for all ids that begin alike
 * (https://github.com/vercel/ai takes the first nine of `tooluse_…`).
 */
export const lettersOnly = (length: number): IdForm => {
  const valid = new RegExp(`^[a-zA-Z0-9]{${length}}$`)
  return {
    isValid: (id) => valid.test(id),
    rename: (id, copy) => {
      const hash = createHash("sha256").update(`${copy}:${id}`).digest()
      return Array.from({ length }, (_, at) => LETTERS[hash[at]! % LETTERS.length]).join("")
    }
  }
}

/** `plainIds` of at most `longest` characters; longer ones end in a part of their hash. */
export const plainIdsUpTo = (longest: number): IdForm => ({
  isValid: (id) => id.length <= longest && plainIds.isValid(id),
  rename: (id, copy, call) => {
    const name = plainIds.rename(id, copy, call)
    if (name.length <= longest) return name
    const hash = createHash("sha256").update(`${copy}:${id}`).digest("hex").slice(0, HASH_LENGTH)
    return `${name.slice(0, longest - HASH_LENGTH - 1)}_${hash}`
  }
})

const HASH_LENGTH = 16

/** Any id of at most `longest` characters; longer ones end in a part of their hash. */
export const idsUpTo = (longest: number): IdForm => ({
  isValid: (id) => id.length <= longest,
  rename: (id, copy) => {
    const hash = createHash("sha256").update(`${copy}:${id}`).digest("hex").slice(0, HASH_LENGTH)
    return `${id.slice(0, longest - HASH_LENGTH - 1)}_${hash}`
  }
})

/** `functions.NAME:N`, where `N` counts the calls of the conversation. */
export const namedIds: IdForm = {
  isValid: (id) => /^functions\.[^:]+:\d+$/.test(id),
  rename: (_, copy, { name, order }) => `functions.${name}:${order + copy - 1}`
}
