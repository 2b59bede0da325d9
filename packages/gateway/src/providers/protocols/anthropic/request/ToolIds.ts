/**
 * Ids of tool calls as Anthropic takes them: `^[a-zA-Z0-9_-]+$`, each used once in a conversation. Histories from elsewhere break
 * both (`functions.f:0`, `call_0` in every turn). No two calls share a name here, and every result finds its own call.
 *
 * An id is renamed the same way in every turn of a conversation, so that prompt caches stay valid.
 */
export class ToolIds {
  private readonly taken: Set<string>
  /** Names given to calls that wait for their result, by the caller's id. */
  private readonly waiting = new Map<string, Array<string>>()
  private readonly latest = new Map<string, string>()

  /** `ids`: every call id of the request; those that are valid as they are keep their name. */
  constructor(ids: ReadonlyArray<string>) {
    this.taken = new Set(ids.filter(isValid))
  }

  /** The name of a new call. */
  open(id: string): string {
    const name = !this.latest.has(id) && isValid(id) ? id : this.free(encode(id))
    this.latest.set(id, name)
    const queue = this.waiting.get(id)
    if (queue === undefined) this.waiting.set(id, [name])
    else queue.push(name)
    return name
  }

  /** The name of the call that a result answers. A result without a call keeps its (made valid) id: Anthropic will say so. */
  answered(id: string): string {
    return this.waiting.get(id)?.shift() ?? this.latest.get(id) ?? encode(id)
  }

  private free(name: string): string {
    let candidate = name
    for (let copy = 2; this.taken.has(candidate); copy++) candidate = `${name}_${copy}`
    this.taken.add(candidate)
    return candidate
  }
}

const isValid = (id: string): boolean => /^[a-zA-Z0-9_-]+$/.test(id)

/** What is not allowed becomes its code point between hyphens. */
const encode = (id: string): string =>
  id === "" ? "_" : id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `-${character.codePointAt(0)!.toString(16)}-`)
