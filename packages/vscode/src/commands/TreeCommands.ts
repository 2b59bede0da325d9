/** What the tree's buttons do. Each needs the master key. */
import type { Chat } from "../chat/Chat.ts"
import type { Editor } from "../editor/Editor.ts"
import { brief, type Connected, type Gateways } from "../gateways/Gateways.ts"
import type { Node } from "../tree/Nodes.ts"

export class TreeCommands {
  readonly #editor: Editor
  readonly #gateways: Gateways
  readonly #chat: Chat

  constructor(editor: Editor, gateways: Gateways, chat: Chat) {
    this.#editor = editor
    this.#gateways = gateways
    this.#chat = chat
  }

  async disable({ gateway, subject }: Node): Promise<void> {
    if (subject === undefined) return
    const isMeant = await this.#editor.dialogs.confirm(
      `Take ${subject} out of rotation?`,
      "It gets no more requests until it is put back, also after a restart of the gateway.",
      "Take Out"
    )
    if (isMeant)
      await this.#do(gateway, ({ client }) => client.admin.deployments.disable({ deployment: subject }, brief))
  }

  async enable({ gateway, subject }: Node): Promise<void> {
    if (subject === undefined) return
    await this.#do(gateway, ({ client }) => client.admin.deployments.enable({ deployment: subject }, brief))
  }

  async createKey({ gateway }: Node): Promise<void> {
    const { dialogs } = this.#editor
    const name = await dialogs.ask({ title: "A new key (1 of 2)", prompt: "Whose, or for what?", placeholder: "ci" })
    if (name === undefined) return
    const budget = await dialogs.ask({
      title: "A new key (2 of 2)",
      prompt: "Budget for a month in USD; empty for none",
      placeholder: "25",
      problem: budgetProblem
    })
    if (budget === undefined) return
    await this.#do(gateway, async ({ client }) => {
      const { key } = await client.admin.keys.create({
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(budget.trim() === "" ? {} : { budgets: [{ usd: Number(budget), window: "month" }] })
      })
      await this.#editor.clipboard(key)
      await dialogs.inform("The key was made and is in the clipboard. It can't be shown again.")
    })
  }

  async revokeKey({ gateway, label, subject }: Node): Promise<void> {
    if (subject === undefined) return
    const isMeant = await this.#editor.dialogs.confirm(
      `Revoke the key ${label}?`,
      "Whoever uses it is refused at once. It can't be taken back.",
      "Revoke"
    )
    if (isMeant) await this.#do(gateway, ({ client }) => client.admin.keys.revoke(subject, brief))
  }

  async #do(gateway: string, act: (connected: Connected) => PromiseLike<unknown>): Promise<void> {
    const connected = await this.#gateways.named(gateway)
    if (connected === undefined) return
    try {
      await act(connected)
    } catch (error) {
      await this.#editor.dialogs.warn(this.#chat.troubleOf(error, connected).text)
    }
    this.#gateways.changed()
  }
}

const budgetProblem = (text: string): string | undefined =>
  text.trim() === "" || (Number(text) > 0 && Number(text) <= 9_000_000)
    ? undefined
    : "an amount in USD above 0, such as 25 or 0.5"
