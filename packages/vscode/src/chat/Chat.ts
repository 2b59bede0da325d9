/** The editor's chat through the gateway: what models there are, and answers as they come. */
import type { ChatStream } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { brief, type Connected, type Gateways } from "../gateways/Gateways.ts"
import { type Trouble, troubleOf } from "../gateways/Trouble.ts"
import { type ModelInfo, modelInfos } from "../models/ModelInfo.ts"
import { Answer, Unusable } from "./Answer.ts"
import type { Decisions, Made } from "./Decisions.ts"
import { callOptionsOf, requestOf } from "./Request.ts"
import type { Asked, Piece } from "./Turns.ts"

/** What the chat shows instead of an answer. */
export class ChatFailed extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble) {
    super(trouble.text)
    // The chat shows it to people.
    this.stack = ""
    this.trouble = trouble
  }
}

export class Chat {
  readonly #editor: Editor
  readonly #gateways: Gateways
  readonly #decisions: Decisions

  constructor(editor: Editor, gateways: Gateways, decisions: Decisions) {
    this.#editor = editor
    this.#gateways = gateways
    this.#decisions = decisions
  }

  /** Of all connected gateways. One that can't be asked has none, and a line in the output channel. */
  async models(): Promise<ReadonlyArray<ModelInfo>> {
    const connected = await this.#gateways.connected()
    const lists = await Promise.all(connected.map((one) => this.#modelsOf(one, connected.length)))
    return lists.flat()
  }

  /** Gives the pieces on as they come. Throws a `ChatFailed`; one that was left just ends. */
  async answer(info: ModelInfo, asked: Asked, report: (piece: Piece) => void, signal: AbortSignal): Promise<void> {
    const connected = await this.#gateways.named(info.gateway)
    if (connected === undefined) {
      const text = `The gateway ${info.gateway} is not connected any more.`
      throw new ChatFailed({ text, help: "connect" })
    }
    const { gateway, model } = info
    const started = this.#editor.now()
    let stream: ChatStream | undefined
    const made = (): Made | undefined =>
      stream?.gateway === undefined
        ? undefined
        : {
            gateway,
            url: connected.url,
            model,
            decision: stream.gateway,
            milliseconds: this.#editor.now() - started
          }
    try {
      stream = await connected.client.chat.completions.stream(requestOf(info, asked), callOptionsOf(asked, signal))
      await relay(stream, report)
      const one = made()
      if (one !== undefined) this.#decisions.made(one)
    } catch (error) {
      if (signal.aborted) return this.#decisions.left(gateway, model, made())
      const trouble = error instanceof Unusable ? { text: error.message } : this.troubleOf(error, connected)
      this.#decisions.failed(gateway, model, trouble.text, made())
      throw new ChatFailed(trouble)
    }
  }

  troubleOf(error: unknown, { name, url }: { readonly name: string; readonly url: string }): Trouble {
    const { clock, now } = this.#editor
    return troubleOf(error, { name, url, now: now(), clock })
  }

  async #modelsOf(connected: Connected, among: number): Promise<ReadonlyArray<ModelInfo>> {
    try {
      return modelInfos(connected.name, await connected.client.models.list(brief), among)
    } catch (error) {
      this.#editor.log(`${connected.name}  no models: ${this.troubleOf(error, connected).text}`)
      return []
    }
  }
}

const relay = async (stream: ChatStream, report: (piece: Piece) => void): Promise<void> => {
  const answer = new Answer()
  try {
    for await (const chunk of stream) for (const piece of answer.read(chunk)) report(piece)
    for (const piece of answer.end()) report(piece)
  } finally {
    await stream.close()
  }
}
