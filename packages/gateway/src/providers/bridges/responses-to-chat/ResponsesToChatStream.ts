/** The stream of a chat completion as the stream of a response. */
import { truncated } from "../../../core/domain/Failures.ts"
import type { UpstreamCall, StreamEvent } from "../../../core/pool/Protocol.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import type { CallItem, ThoughtItem } from "../../responses/OpenItems.ts"
import { type ResponseEnding, ResponseWriter } from "../../responses/ResponseWriter.ts"
import { callSeal, MessageSeals } from "../Seals.ts"
import { seal } from "../../responses/Sealed.ts"
import { CALL_GOES_ON, CallOrder } from "../CallOrder.ts"
import { INPUT, ToolNames } from "./ResponsesToChatTools.ts"

const DATA_URL = /^data:image\/([\w.+-]+)[^,]*(;base64,)/
/** The head of a data URL is shorter than that. */
const MAX_HEAD = 200

export class ChatEvents {
  private readonly writer: ResponseWriter
  private readonly tools: ToolNames
  private readonly upstream: UpstreamCall
  private readonly seals: MessageSeals
  /** Undefined while the response goes on. */
  private ending: ResponseEnding | undefined
  private told: { readonly usage: Usage; readonly serviceTier: string | undefined } | undefined
  private over = false
  private readonly order = new CallOrder()
  /** The call that is being written, and its place among the calls of the chat. */
  private current: { readonly index: unknown; readonly item: CallItem; json: string } | undefined
  /** Signed thoughts that went into an item already. */
  private sealed = 0
  /** The last item that holds some, and those in it. */
  private signedThought: { readonly item: ThoughtItem; readonly blocks: ReadonlyArray<unknown> } | undefined

  constructor(call: UpstreamCall) {
    this.writer = new ResponseWriter(call)
    this.tools = new ToolNames(call.request.body)
    this.upstream = call
    this.seals = new MessageSeals(call)
  }

  push(event: StreamEvent): ReadonlyArray<StreamEvent> {
    if (this.over) return []
    switch (event.kind) {
      case "lifecycle":
      case "content":
      case "finish":
        if (!this.chunk(objectOr(parseJson(event.data)))) return this.failed()
        return this.writer.take()
      case "usage":
        this.told = { usage: event.usage, serviceTier: event.serviceTier }
        return []
      case "done":
        return this.ended()
      case "failed":
        this.over = true
        return [event]
      case "malformed":
        return [event]
    }
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.over ? [] : this.ended()
  }

  private ended(): ReadonlyArray<StreamEvent> {
    if (this.ending === undefined) return []
    this.over = true
    this.closeCall()
    for (const blob of this.seals.takeAll()) this.writer.sealed(blob)
    this.writer.end(this.ending, this.told?.usage, this.told?.serviceTier)
    return this.writer.take()
  }

  private failed(): ReadonlyArray<StreamEvent> {
    this.over = true
    return [{ kind: "failed", failure: truncated(CALL_GOES_ON) }]
  }

  private chunk({ choices, model }: JsonObject): boolean {
    this.writer.begin(model)
    const [choice] = objectsIn(choices)
    if (choice === undefined) return true
    const inOrder = this.order.push(choice)
    for (const one of inOrder ?? []) this.said(one)
    const reason = choice["finish_reason"]
    if (typeof reason === "string" && reason !== "") {
      for (const one of this.order.end()) this.said(one)
      this.ending = ENDINGS[reason] ?? "completed"
    }
    return inOrder !== undefined
  }

  private said(choice: JsonObject): void {
    const delta = objectOr(choice["delta"])
    const logprobs = objectsIn(objectOr(choice["logprobs"])["content"])
    const { annotations, content, refusal, thinking_blocks: blocks, tool_calls: calls } = delta
    const field = typeof delta["reasoning_content"] === "string" ? "reasoning_content" : "reasoning"
    const thought = delta[field]
    this.seals.add(delta)
    if (typeof thought === "string" && thought !== "") this.think(thought, field)
    if (Array.isArray(blocks)) this.signed(blocks)
    if (typeof content === "string" && content !== "") this.message().text(content, logprobs)
    if (typeof refusal === "string" && refusal !== "") this.message().refusal(refusal)
    for (const annotation of objectsIn(annotations)) this.message().annotate(flatAnnotation(annotation))
    for (const image of objectsIn(delta["images"])) this.image(objectOr(image["image_url"])["url"])
    for (const call of objectsIn(calls)) this.call(call)
  }

  /** An image that is only an address stays one. */
  private image(url: unknown): void {
    if (typeof url !== "string") return
    const [, format, base64] = DATA_URL.exec(url.slice(0, MAX_HEAD)) ?? []
    if (format === undefined || base64 === undefined) return this.message().text(url, [])
    this.closeCall()
    for (const blob of this.seals.takeDetails()) this.writer.sealed(blob)
    this.writer.image(url.slice(url.indexOf(",") + 1), format)
  }

  private message() {
    this.closeCall()
    for (const blob of this.seals.takeDetails()) this.writer.sealed(blob)
    return this.writer.message()
  }

  private think(text: string, field: string): void {
    this.closeCall()
    const item = this.writer.thought()
    item.add(text)
    if (this.sealed === 0) item.seal ??= (content) => seal(this.upstream, field, content)
  }

  /** Each list holds the earlier blocks too. */
  private signed(blocks: ReadonlyArray<unknown>): void {
    const fresh = blocks.slice(this.sealed)
    if (fresh.length === 0) return
    this.closeCall()
    this.sealed = blocks.length
    const item = this.writer.thought()
    const all = this.signedThought?.item === item ? [...this.signedThought.blocks, ...fresh] : fresh
    this.signedThought = { item, blocks: all }
    const sealed = seal(this.upstream, "thinking_blocks", JSON.stringify(all))
    item.seal = () => sealed
  }

  private call(call: JsonObject): void {
    const called = objectOr(call["function"])
    const { index } = call
    if (this.current?.index !== index) {
      this.closeCall()
      const blob = callSeal(call, this.upstream)
      for (const one of [...this.seals.takeDetails(), ...(blob === undefined ? [] : [blob])]) this.writer.sealed(one)
      const tool = this.tools.known(String(called["name"] ?? ""))
      this.current = { index, item: this.writer.tool({ callId: String(call["id"] ?? ""), tool }), json: "" }
    }
    const { current } = this
    const piece = called["arguments"]
    if (current === undefined || typeof piece !== "string") return
    current.json += piece
    if (current.item.tool.kind === "function") current.item.add(piece)
  }

  /** The input of a custom tool is a string inside JSON, so it is known when that is whole. */
  private closeCall(): void {
    const { current } = this
    this.current = undefined
    if (current === undefined || current.item.tool.kind === "function") return
    const args = parseJson(current.json)
    const input = isObject(args) ? args[INPUT] : undefined
    current.item.add(typeof input === "string" ? input : current.json)
  }
}

const ENDINGS: { readonly [reason: string]: ResponseEnding } = {
  length: "max_output_tokens",
  content_filter: "content_filter"
}

/** Chat has the fields of a citation inside an object. */
const flatAnnotation = (annotation: JsonObject): JsonObject => {
  const { type, url_citation: cited } = annotation
  return type === "url_citation" && isObject(cited) ? { type, ...cited } : annotation
}
