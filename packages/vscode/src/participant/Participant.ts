/** `@gateway` in the chat: why the last answer came from where it came, where a prompt would go, and what was spent. No model is asked. */
import type { Chat } from "../chat/Chat.ts"
import type { Decisions } from "../chat/Decisions.ts"
import type { Editor } from "../editor/Editor.ts"
import { brief, type Connected, type Gateways } from "../gateways/Gateways.ts"
import { readOwnKey } from "../spend/OwnKey.ts"
import { escaped } from "../spend/StatusView.ts"
import { explanationText, receiptText } from "./Explanation.ts"
import { spendText } from "./SpendText.ts"

export interface Mention {
  /** Without the slash. */
  readonly command: string | undefined
  readonly prompt: string
}

export class Participant {
  readonly #editor: Editor
  readonly #gateways: Gateways
  readonly #decisions: Decisions
  readonly #chat: Chat

  constructor(editor: Editor, gateways: Gateways, decisions: Decisions, chat: Chat) {
    this.#editor = editor
    this.#gateways = gateways
    this.#decisions = decisions
    this.#chat = chat
  }

  /** Markdown. */
  async answer({ command, prompt }: Mention): Promise<string> {
    const connected = await this.#gateways.connected()
    if (connected.length === 0)
      return "No gateway is connected. Run **Model Gateway: Connect** from the command palette."
    if (command === "spend") return this.#spend(connected)
    if (command === "explain") return prompt.trim() === "" ? this.#explainLast() : this.#explain(connected, prompt)
    return HELP
  }

  async #spend(connected: ReadonlyArray<Connected>): Promise<string> {
    const texts = connected.map(async (one) => {
      try {
        return spendText(one.name, await readOwnKey(one.client, this.#editor.timeZone()))
      } catch (error) {
        return `### ${one.name}\n\n${escaped(this.#chat.troubleOf(error, one).text)}`
      }
    })
    return (await Promise.all(texts)).join("\n\n")
  }

  async #explainLast(): Promise<string> {
    const last = this.#decisions.last()
    if (last === undefined) {
      return "No model of the gateway has answered in this window yet. Ask one, or write a prompt after `/explain`."
    }
    const connected = await this.#gateways.named(last.gateway)
    const { receiptId } = last.decision
    if (connected === undefined || receiptId === null) return "There is no receipt of the last answer."
    try {
      return receiptText(await connected.client.receipts.get(receiptId, brief))
    } catch (error) {
      return escaped(this.#chat.troubleOf(error, connected).text)
    }
  }

  async #explain(connected: ReadonlyArray<Connected>, prompt: string): Promise<string> {
    const last = this.#decisions.last()?.gateway
    const administrators = connected.filter(({ isAdministrator }) => isAdministrator)
    const one = administrators.find(({ name }) => name === last) ?? administrators[0]
    if (one === undefined) {
      return "Only administrators may ask where a prompt would go: run **Model Gateway: Add Master Key**. `/explain` alone tells why the last answer came from where it came."
    }
    try {
      const request = { messages: [{ role: "user", content: prompt }] }
      return explanationText(await one.client.admin.explain({ request }, brief))
    } catch (error) {
      return escaped(this.#chat.troubleOf(error, one).text)
    }
  }
}

const HELP = [
  "I know what the gateway decides, and what it costs:",
  "- `/explain`: why the last answer came from where it came",
  "- `/explain` and a prompt: where it would go (needs the master key)",
  "- `/spend`: what was spent, and what is left of the budgets"
].join("\n")
