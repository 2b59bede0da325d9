/** A streamed response as chunks of a chat completion. Each event is a `GenerateContentResponse` with what is new; calls come complete. */
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { StreamLifter, UpstreamCall, StreamEvent, WireEvent } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, isObject, objectOf, objectOr, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { finishReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { Chunks } from "../../shared/ChatCompletions.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { signed } from "../request/GeminiChatSignatures.ts"
import {
  annotations,
  blocked,
  CallIds,
  type GeminiPiece,
  imageOf,
  logprobsOf,
  pieceOf,
  searchesIn
} from "./GeminiCandidates.ts"
import { headOf } from "./GeminiChatResponse.ts"
import { readUsage } from "./GeminiChatUsage.ts"
import { OwnParts } from "./GeminiOwnParts.ts"

const DONE: StreamEvent = { kind: "done" }

export const stream = (call: UpstreamCall): StreamLifter => new AnswerStream(call)

interface GeminiCandidate {
  readonly index: number
  text: string
  calls: number
  images: number
  searches: number
  finished: boolean
  readonly own: OwnParts
}

/** All but the first events begin with a head that is known. */
interface GeminiChunkWriter {
  readonly chunks: Chunks
  readonly ids: CallIds
}

class AnswerStream implements StreamLifter {
  private readonly call: UpstreamCall
  private writer: GeminiChunkWriter | undefined
  private readonly choices = new Map<number, GeminiCandidate>()
  private usage: JsonObject | undefined
  private closed = false

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push(event: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed || event.data.trim() === "") return []
    const data = parseJson(event.data)
    const error = errorIn(data)
    if (error !== undefined) return this.fail({ kind: "failed", failure: reportedFailure(error) })
    if (!isObject(data)) return MALFORMED
    this.usage = objectOf(data["usageMetadata"]) ?? this.usage
    const refused = this.choices.size === 0 ? blocked(data) : undefined
    if (refused !== undefined) return this.fail({ kind: "failed", failure: refused })
    const out: Array<StreamEvent> = []
    const candidates = arrayOf(data["candidates"])
    for (const [position, candidate] of candidates.entries()) {
      if (!isObject(candidate) || !this.candidate(candidate, position, data, out)) return [...out, ...MALFORMED]
      if (this.closed) return out
    }
    return out
  }

  /** The usage is told once, when nothing can follow: every event has one, and the last counts. */
  end(): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    this.closed = true
    const told = readUsage(this.usage)
    const choices = [...this.choices.values()]
    if (this.writer === undefined || choices.length === 0 || !choices.every(({ finished }) => finished)) return []
    if (told === undefined) return [DONE]
    const webSearches = choices.reduce((sum, { searches }) => sum + searches, 0)
    return [this.writer.chunks.usage({ ...told, webSearches }, tierNamed(this.usage?.["serviceTier"])), DONE]
  }

  private fail(event: StreamEvent): ReadonlyArray<StreamEvent> {
    this.closed = true
    return [event]
  }

  /** False where it makes no sense. */
  private candidate(candidate: JsonObject, position: number, response: JsonObject, out: Array<StreamEvent>): boolean {
    const choice = this.choiceAt(candidate["index"], position)
    if (choice.finished) return true
    const logprobs = logprobsOf(candidate)
    const parts = arrayOf(objectOr(candidate["content"])["parts"])
    for (const [index, part] of parts.entries()) {
      const piece = pieceOf(part)
      if (piece === undefined) return false
      const id = this.say(piece, choice, response, index === 0 ? logprobs : null, out)
      choice.own.add(part, piece, id)
    }
    choice.searches = Math.max(choice.searches, searchesIn([candidate], this.call.deployment.facts))
    const { chunks } = this.writerFor(response)
    const cited = annotations(candidate, choice.text)
    if (cited.length > 0) chunks.content({ annotations: cited }, out, choice.index)
    const reason = textOf(candidate["finishReason"])
    if (reason !== undefined) this.finish(choice, reason, chunks, out)
    return true
  }

  private finish(choice: GeminiCandidate, reason: string, chunks: Chunks, out: Array<StreamEvent>): void {
    const finish = finishReason(reason, choice.calls > 0)
    if (finish === undefined) {
      this.closed = true
      out.push({ kind: "failed", failure: stoppedWith(reason, readUsage(this.usage)) })
      return
    }
    choice.finished = true
    const own = choice.own.end()
    if (own["extra_content"] !== undefined) chunks.content(own, out, choice.index)
    chunks.finish(finish, out, choice.index)
  }

  private choiceAt(told: unknown, position: number): GeminiCandidate {
    // No more than were asked for are numbered as the provider says.
    const isIndex = Number.isInteger(told) && Number(told) >= 0 && Number(told) < this.call.request.choices
    const index = isIndex ? Number(told) : position
    const known = this.choices.get(index)
    if (known !== undefined) return known
    const own = new OwnParts()
    const choice: GeminiCandidate = { index, text: "", calls: 0, images: 0, searches: 0, finished: false, own }
    this.choices.set(index, choice)
    return choice
  }

  private writerFor(response: JsonObject): GeminiChunkWriter {
    if (this.writer !== undefined) return this.writer
    const head = headOf(response, this.call)
    this.writer = { chunks: new Chunks(head, this.call.request.includeUsage), ids: new CallIds(head) }
    return this.writer
  }

  /** The id of a call. */
  private say(
    piece: GeminiPiece,
    choice: GeminiCandidate,
    response: JsonObject,
    logprobs: JsonObject | null,
    out: Array<StreamEvent>
  ): string | undefined {
    const { chunks, ids } = this.writerFor(response)
    const say = (delta: JsonObject) => chunks.content(delta, out, choice.index, logprobs)
    switch (piece.kind) {
      case "thought":
        if (piece.text !== "") say({ reasoning_content: piece.text })
        return undefined
      case "text": {
        choice.text += piece.text
        const said = piece.text === "" ? {} : { content: piece.text }
        const delta = { ...said, ...signed(piece.signature) }
        if (Object.keys(delta).length > 0) say(delta)
        return undefined
      }
      case "image":
        say({ images: [imageOf(piece.url, choice.images++)], ...signed(piece.signature) })
        return undefined
      case "call": {
        const index = choice.calls++
        const id = ids.next(piece.id)
        const begun = { index, id, type: "function", function: { name: piece.name, arguments: "" } }
        say({ tool_calls: [{ ...begun, ...signed(piece.signature) }] })
        say({ tool_calls: [{ index, function: { arguments: piece.args } }] })
        return id
      }
      case "none":
        return undefined
    }
  }
}
