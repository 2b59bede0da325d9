/** The items of a request as the messages of a chat. */
import { Unsupported } from "../../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { needsThoughts } from "../../protocols/openai/request/OpenAiChatThoughts.ts"
import { argumentsText, isObject, objectsIn, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { type SealedValue, keptIn, LISTS } from "../Seals.ts"
import { THOUGHTS, unseal } from "../../responses/Sealed.ts"
import { INPUT, type ToolNames } from "./ResponsesToChatTools.ts"
import { hasMedia, partsOf, textOfParts } from "./ResponsesToChatParts.ts"

type BridgedMessage = Record<string, unknown>

/** Protocols whose tool results hold pictures and files, not only text. */
const TAKES_MEDIA_IN_RESULTS: ReadonlySet<string> = new Set(["anthropic-messages", "bedrock"])

export class Messages {
  readonly list: Array<BridgedMessage> = []
  /** Kinds of items that chat has no place for. */
  readonly dropped = new Set<string>()
  problem: Unsupported | undefined
  private readonly provider: string
  private readonly takesMediaInResults: boolean
  private readonly takesOwnImages: boolean
  private readonly needsThoughts: boolean
  private readonly tools: ToolNames
  /** Thoughts that belong to the next message of the assistant. */
  private thoughts: BridgedMessage = {}
  /** Of the next call. */
  private signature: BridgedMessage = {}
  /** Pictures and files of results, which go into a message of the user behind them. */
  private pictures: Array<unknown> = []

  constructor({ deployment }: UpstreamCall, tools: ToolNames) {
    this.provider = deployment.provider
    this.takesMediaInResults = TAKES_MEDIA_IN_RESULTS.has(deployment.protocol)
    this.takesOwnImages = deployment.protocol === "gemini"
    this.needsThoughts = needsThoughts(deployment)
    this.tools = tools
  }

  add(item: unknown, path: string): void {
    if (!isObject(item)) return
    const type = item["type"] ?? "message"
    if (type !== "function_call_output" && type !== "custom_tool_call_output") this.flush()
    switch (type) {
      case "message":
        return this.message(item, path)
      case "reasoning":
        return this.reasoning(item)
      case "function_call":
        return this.call(item, String(item["name"]), argumentsText(item["arguments"]) || "{}")
      case "custom_tool_call":
        return this.call(item, String(item["name"]), JSON.stringify({ [INPUT]: item["input"] ?? "" }))
      case "function_call_output":
      case "custom_tool_call_output":
        return this.result(item, path)
      case "image_generation_call":
        return this.image(item)
      case "additional_tools":
      case "tool_search_call":
      case "tool_search_output":
        return
      case "item_reference":
        return this.refuse(
          `${path}.id`,
          "this `item_reference` names no item that the gateway has kept: send the item itself"
        )
      case "compaction":
        return this.refuse(
          path,
          "only the provider that wrote this `compaction` can read it: send the items themselves"
        )
      default:
        this.dropped.add(`input.${String(type).slice(0, 40)}`)
    }
  }

  end(): void {
    this.flush()
  }

  private message(item: JsonObject, path: string): void {
    const { content, role } = item
    if (role === "assistant") {
      const refusal = objectsIn(content).find((part) => part["type"] === "refusal")
      const text = textOfParts(content)
      this.assistant({ content: text, ...(refusal === undefined ? undefined : { refusal: refusal["refusal"] }) })
      return
    }
    this.thoughts = {}
    const parts = partsOf(content, `${path}.content`)
    if (parts instanceof Unsupported) this.problem ??= parts
    else this.list.push({ role, content: parts })
  }

  private assistant(said: BridgedMessage): BridgedMessage {
    const { thoughts } = this
    this.thoughts = {}
    const last = this.list.at(-1)
    if (last?.["role"] !== "assistant") {
      const message = { role: "assistant", ...thoughts, ...said }
      this.list.push(message)
      return message
    }
    const texts = [last["content"], said["content"]].filter((text) => typeof text === "string" && text !== "")
    Object.assign(last, said, { content: texts.length === 0 ? (last["content"] ?? null) : texts.join("\n") })
    for (const [name, value] of Object.entries(thoughts)) last[name] = joined(last[name], value)
    return last
  }

  private call({ call_id: id, namespace }: JsonObject, name: string, args: string): void {
    const call = {
      id,
      type: "function",
      function: { name: this.tools.flat(name, namespace), arguments: args },
      ...this.signature
    }
    this.signature = {}
    const message = this.assistant({ content: null })
    message["tool_calls"] = joined(message["tool_calls"], [call])
  }

  private result({ call_id: id, output }: JsonObject, path: string): void {
    const parts = typeof output === "string" ? output : partsOf(output, `${path}.output`)
    if (parts instanceof Unsupported) {
      this.problem ??= parts
      return
    }
    if (!hasMedia(parts) || this.takesMediaInResults) {
      const content = typeof parts === "string" || hasMedia(parts) ? parts : textOfParts(output)
      this.list.push({ role: "tool", tool_call_id: id, content })
      return
    }
    const text = textOfParts(output)
    const content = text === "" ? "The result is in the message below." : text
    this.list.push({ role: "tool", tool_call_id: id, content })
    this.pictures.push({ type: "text", text: `From the result of the call ${String(id)}:` }, ...parts.filter(isMedia))
  }

  /** The provider's own thoughts go back unchanged; another's only where it has to see how a call came about. */
  private reasoning(item: JsonObject): void {
    const sealed = unseal(item["encrypted_content"])
    const kept = keptIn(item["encrypted_content"], this.provider)
    if (kept !== undefined) return this.keep(kept)
    const shown = this.needsThoughts ? shownIn(item) : ""
    if (sealed?.provider !== this.provider && shown !== "")
      this.thoughts["reasoning_content"] = joined(this.thoughts["reasoning_content"], shown)
    else if (sealed?.provider !== this.provider) this.dropped.add(THOUGHTS)
    else if (sealed.id === "thinking_blocks") {
      const blocks = parseJson(sealed.content)
      if (Array.isArray(blocks)) this.thoughts[sealed.id] = joined(this.thoughts[sealed.id], blocks)
    } else if (UNSIGNED.includes(sealed.id)) {
      this.thoughts[sealed.id] = joined(this.thoughts[sealed.id], sealed.content)
    } else this.dropped.add(THOUGHTS)
  }

  private keep({ kind, value }: SealedValue): void {
    if (kind === "call") this.signature = { extra_content: value }
    else {
      const last = this.list.at(-1)
      const turn = last?.["role"] === "assistant" ? last : this.thoughts
      const name = LISTS[kind] ?? "extra_content"
      turn[name] = joined(turn[name], value)
    }
  }

  /** An image that a model made goes back to models that make some; others take none in an assistant's turn. */
  private image({ output_format: format, result }: JsonObject): void {
    if (!this.takesOwnImages || textOf(result) === undefined) {
      this.dropped.add("input.image_generation_call")
      return
    }
    const url = `data:image/${textOf(format) ?? "png"};base64,${String(result)}`
    const message = this.assistant({ content: null })
    message["images"] = joined(message["images"], [{ type: "image_url", image_url: { url } }])
  }

  private flush(): void {
    if (this.pictures.length === 0) return
    this.list.push({ role: "user", content: this.pictures })
    this.pictures = []
  }

  private refuse(param: string, message: string): void {
    this.problem ??= new Unsupported({ param, message })
  }
}

const UNSIGNED = ["reasoning_content", "reasoning"]

const shownIn = ({ content, summary }: JsonObject): string =>
  [...objectsIn(summary), ...objectsIn(content)].flatMap(({ text }) => textOf(text) ?? []).join("\n")

const joined = (before: unknown, more: unknown): unknown =>
  Array.isArray(before) && Array.isArray(more)
    ? [...before, ...more]
    : typeof before === "string" && typeof more === "string"
      ? before + more
      : more

const isMedia = (part: unknown): boolean => isObject(part) && part["type"] !== "text"
