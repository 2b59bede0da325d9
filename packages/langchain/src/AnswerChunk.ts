/**
 * A piece of a streamed answer, and what pieces add up to. LangChain completes the arguments of a call that are still coming. At the
 * answer's end it goes on doing so: a call that was cut off (by a limit of tokens, say) would be made with half of its arguments.
 */
import { AIMessageChunk, type AIMessageChunkFields, type ToolCallChunk } from "@langchain/core/messages"
import { readArguments } from "./CallArguments.ts"

/** LangChain adds pieces up by making another of the first one's class. By then all pieces of a call are one. */
export class AnswerChunk extends AIMessageChunk {
  constructor(fields: AIMessageChunkFields) {
    const pieces = fields.tool_call_chunks ?? []
    const hasEnded = fields.response_metadata?.["finish_reason"] !== undefined
    const cut = hasEnded ? pieces.filter(isCut) : []
    // A call without an id is invalid to LangChain, here and wherever the message is read again.
    const left = pieces.map((piece) => (cut.includes(piece) ? withoutId(piece) : piece))
    super(cut.length === 0 ? fields : { ...fields, tool_call_chunks: left })
    // Those that are known already come from a message that is made anew, with its content in another form for example.
    const known = [...cut, ...(fields.invalid_tool_calls ?? [])]
    for (const call of this.invalid_tool_calls ?? []) {
      if (call.id !== undefined) continue
      const at = known.findIndex(({ args, id }) => id !== undefined && args?.trim() === call.args)
      const [{ id } = {}] = at < 0 ? [] : known.splice(at, 1)
      if (id !== undefined) call.id = id
    }
  }

  /** It is stored as what LangChain can load. */
  override get lc_id(): Array<string> {
    return [...this.lc_namespace, AIMessageChunk.lc_name()]
  }
}

const isCut = ({ args, id }: ToolCallChunk): boolean => id !== undefined && readArguments(args) === undefined

const withoutId = ({ id: _id, ...piece }: ToolCallChunk): ToolCallChunk => piece
