/**
 * A piece of a streamed answer, and what pieces add up to. LangChain completes the arguments of a call that are still coming. At the
 * answer's end it goes on doing so: a call that was cut off (by a limit of tokens, say) would be made with half of its arguments.
 */
import { AIMessageChunk, type AIMessageChunkFields, type ToolCallChunk } from "@langchain/core/messages"
import { readArguments } from "./CallArguments.ts"

/** LangChain adds pieces up by making another of the first one's class. By then all pieces of a call are one. */
export class AnswerChunk extends AIMessageChunk {
  constructor(fields: AIMessageChunkFields) {
    const hasEnded = fields.response_metadata?.["finish_reason"] !== undefined
    const pieces = (fields.tool_call_chunks ?? []).map((piece) => (hasEnded && isCut(piece) ? withoutId(piece) : piece))
    super({ ...fields, tool_call_chunks: pieces })
    const cut: Array<CutPiece> = pieces.filter((piece: CutPiece) => piece.cut_id !== undefined)
    for (const call of this.invalid_tool_calls ?? []) {
      const at = call.id === undefined ? cut.findIndex(({ args }) => args?.trim() === call.args) : -1
      const [{ cut_id } = {}] = at < 0 ? [] : cut.splice(at, 1)
      if (cut_id !== undefined) call.id = cut_id
    }
  }

  /** It is stored as what LangChain can load. */
  override get lc_id(): Array<string> {
    return [...this.lc_namespace, AIMessageChunk.lc_name()]
  }
}

/** The id is kept where LangChain does not look for it, for sums that this is part of. */
interface CutPiece extends Partial<ToolCallChunk> {
  readonly cut_id?: string | undefined
}

const isCut = ({ args, id }: ToolCallChunk): boolean => id !== undefined && readArguments(args) === undefined

/** A call without an id is invalid to LangChain, here and wherever the message is read again. */
const withoutId = ({ id, ...piece }: ToolCallChunk): ToolCallChunk & CutPiece => ({ ...piece, cut_id: id })
