/**
 * The pieces of streamed tool calls, each with the index of its call. Not every server counts: some leave the index out, some say 0 for
 * all of them, and some repeat an empty id or name with every piece. Left so, calls would run into each other. Some give no ids at all.
 */
import type { WireChunk, WireToolCall } from "./Wire.ts"

interface Call {
  readonly index: number
  id: string | undefined
}

/** A tool's answer says by its id which call it is for; LangChain makes no call without one. 40 characters are the most that vendors take. */
export const newCallId = (): string => `call_${crypto.randomUUID().replaceAll("-", "")}`

export class ToolCallPieces {
  /** The call that the server's index means at present. */
  private readonly current = new Map<number, Call>()
  private readonly byId = new Map<string, Call>()
  private readonly calls = new Map<number, Call>()

  /** The same chunk; of its first choice, as there is no other. */
  counted(chunk: WireChunk): WireChunk {
    const [choice, ...rest] = chunk.choices ?? []
    const calls = choice?.delta?.tool_calls
    if (!calls || calls.length === 0) return chunk
    // Two entries of one chunk are two calls, whatever they are called.
    const met = new Set<Call>()
    const tool_calls = calls.map((call, position) => this.piece(call, position, met))
    return { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, tool_calls } }, ...rest] }
  }

  /** At the stream's end: ids for the calls that have none, as one may come behind a call's first piece. */
  get missingIds(): ReadonlyArray<WireToolCall> {
    const nameless = [...this.calls.values()].filter(({ id }) => id === undefined)
    return nameless.map(({ index }) => ({ index, id: newCallId() }))
  }

  private piece({ function: made, id, index, type }: WireToolCall, position: number, met: Set<Call>) {
    const { arguments: args, name } = made ?? {}
    const call = this.callOf(id || undefined, index ?? undefined, position, met)
    met.add(call)
    return {
      index: call.index,
      ...(id ? { id } : {}),
      ...(type === undefined ? {} : { type }),
      function: { ...(name ? { name } : {}), ...(args === undefined || args === null ? {} : { arguments: args }) }
    }
  }

  private callOf(id: string | undefined, index: number | undefined, position: number, met: ReadonlySet<Call>): Call {
    const key = index ?? position
    const present = this.current.get(key)
    const isPresent = present !== undefined && (id === undefined || present.id === undefined || present.id === id)
    // Some servers call every call of a function by its name: an index that is new begins one.
    const isNew = index !== undefined && present === undefined
    const meant = isPresent ? present : id === undefined || isNew ? undefined : this.byId.get(id)
    const call = meant === undefined || met.has(meant) ? this.begin(key) : meant
    call.id ??= id
    this.current.set(key, call)
    if (id !== undefined) this.byId.set(id, call)
    return call
  }

  private begin(key: number): Call {
    const index = this.calls.has(key) ? Math.max(...this.calls.keys()) + 1 : key
    const call = { index, id: undefined }
    this.calls.set(index, call)
    return call
  }
}
