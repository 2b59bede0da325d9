/**
 * A piece of a streamed answer, and what pieces add up to. LangChain completes the arguments of a call that are still coming. At the
 * answer's end it goes on doing so: a call that was cut off (by a limit of tokens, say) would be made with half of its arguments.
 */
import { AIMessageChunk, type AIMessageChunkFields, type ToolCallChunk } from "@langchain/core/messages"
import { readArguments } from "./CallArguments.ts"

/** LangChain adds pieces up by making another of the first one's class. */
export class AnswerChunk extends AIMessageChunk {
  constructor(fields: AIMessageChunkFields) {
    const pieces = fields.tool_call_chunks ?? []
    const cut = fields.response_metadata?.["finish_reason"] === undefined ? [] : cutCalls(pieces)
    // A call without an id is invalid to LangChain, here and wherever the message is read again.
    super(cut.length === 0 ? fields : { ...fields, tool_call_chunks: pieces.map((piece) => without(piece, cut)) })
    // Those that are known already come from a message that is made anew, with its content in another form for example.
    const known = [...cut, ...(fields.invalid_tool_calls ?? [])]
    for (const call of this.invalid_tool_calls ?? []) {
      const at = call.id === undefined ? known.findIndex(({ args, id }) => id !== undefined && args === call.args) : -1
      const [{ id } = {}] = at < 0 ? [] : known.splice(at, 1)
      if (id !== undefined) call.id = id
    }
  }

  /** It is stored as what LangChain can load. */
  override get lc_id(): Array<string> {
    return [...this.lc_namespace, AIMessageChunk.lc_name()]
  }
}

interface Cut {
  readonly index: number | undefined
  readonly id: string
  /** As LangChain has them in an invalid call. */
  readonly args: string
}

const cutCalls = (pieces: ReadonlyArray<ToolCallChunk>): ReadonlyArray<Cut> =>
  pieces.flatMap(({ id, index }) => {
    if (id === undefined) return []
    const parts = pieces.filter((piece) => piece.index === index).map((piece) => piece.args ?? "")
    const args = parts.join("").trim()
    return readArguments(args) === undefined ? [{ index, id, args }] : []
  })

const without = (piece: ToolCallChunk, cut: ReadonlyArray<Cut>): ToolCallChunk => {
  if (!cut.some(({ index }) => index === piece.index)) return piece
  const { id: _id, ...rest } = piece
  return rest
}
