/**
 * The pieces of streamed tool calls, each with the index of its call. Not every server counts: some leave the index out, some say 0 for
 * all of them, and some repeat an empty id or name with every piece. Left so, calls would run into each other.
 */
import type { WireChunk, WireToolCall } from "./Wire.ts"

interface Call {
  readonly index: number
  id: string | undefined
}

export class ToolCallPieces {
  /** The call that the server's index means at present. */
  private readonly current = new Map<number, Call>()
  private readonly byId = new Map<string, Call>()
  private readonly taken = new Set<number>()

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
    const index = this.taken.has(key) ? Math.max(...this.taken) + 1 : key
    this.taken.add(index)
    return { index, id: undefined }
  }
}
