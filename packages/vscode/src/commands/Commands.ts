/** What the command palette and the status bar can do. */
import type { Chat } from "../chat/Chat.ts"
import type { Decisions } from "../chat/Decisions.ts"
import type { Editor } from "../editor/Editor.ts"
import { addMasterKey, connect, refusal } from "../gateways/Connect.ts"
import type { Connected, Gateways } from "../gateways/Gateways.ts"
import { targetOf, toolConfigurations } from "./Configurations.ts"

export class Commands {
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

  async connect(): Promise<void> {
    const { dialogs } = this.#editor
    const name = await connect(this.#editor, this.#gateways)
    if (name === undefined) return
    const models = (await this.#chat.models()).filter(({ gateway }) => gateway === name)
    const what = models.length === 1 ? "1 model" : `${models.length} models`
    await dialogs.inform(`${name} is connected: ${what} in the chat's model picker.`)
  }

  async disconnect(): Promise<void> {
    const { dialogs } = this.#editor
    const entries = this.#gateways.entries()
    if (entries.length === 0) return void (await dialogs.inform("No gateway is connected."))
    const choices = entries.map((entry) => ({ label: entry.name, description: entry.url, value: entry }))
    const entry = await dialogs.pick("Disconnect which gateway?", choices)
    if (entry === undefined) return
    await this.#gateways.remove(entry.name)
    await dialogs.inform(`${entry.name} is disconnected, and its keys are forgotten.`)
  }

  async test(): Promise<void> {
    const { dialogs } = this.#editor
    const one = await this.#choose("Test which gateway?")
    if (one === undefined) return
    const started = this.#editor.now()
    const { clock } = this.#editor
    const refused = await refusal(one.client, { name: one.name, url: one.url, now: started, clock })
    if (refused !== undefined) {
      if ((await dialogs.warn(refused.text, "Connect")) === "Connect") await this.connect()
      return
    }
    const took = this.#editor.now() - started
    const models = (await this.#chat.models()).filter(({ gateway }) => gateway === one.name)
    const unavailable = models.filter(({ warning }) => warning !== undefined).length
    const ill = unavailable === 0 ? "" : `, ${unavailable} of them without a deployment that answers`
    const master = one.isAdministrator ? " The master key is there." : ""
    await dialogs.inform(`${one.name} answered in ${took} ms: ${models.length} models for the chat${ill}.${master}`)
  }

  async addMasterKey(name?: string): Promise<void> {
    const one = name === undefined ? await this.#choose("Of which gateway?") : await this.#gateways.named(name)
    if (one !== undefined) await addMasterKey(this.#editor, this.#gateways, one)
  }

  async copyConfiguration(): Promise<void> {
    const { dialogs } = this.#editor
    const one = await this.#choose("Of which gateway?")
    if (one === undefined) return
    const models = (await this.#chat.models()).filter(({ gateway }) => gateway === one.name)
    if (models.length === 0) return void (await dialogs.warn(`The key of ${one.name} may use no model that can chat.`))
    const tool = await dialogs.pick(
      "Configuration for which tool?",
      toolConfigurations.map((value) => ({ label: value.label, description: value.place, value }))
    )
    if (tool === undefined) return
    const model = await dialogs.pick(
      "With which model?",
      models.map((value) => ({ label: value.model, description: value.pricing, value }))
    )
    if (model === undefined) return
    const text = tool.write(targetOf(one.url, model))
    await this.#editor.clipboard(text)
    const said = `Copied. It goes into ${tool.place}; the key stays in the environment variable GATEWAY_API_KEY.`
    if ((await dialogs.inform(said, "Open in Editor")) === "Open in Editor")
      await this.#editor.open(text, tool.language)
  }

  async openDashboard(): Promise<void> {
    const one = await this.#choose("The dashboard of which gateway?")
    if (one !== undefined) await this.#editor.browse(`${one.url}/ui/`)
  }

  /** That of the last answer, in the dashboard. */
  async openReceipt(): Promise<void> {
    const last = this.#decisions.last()
    const receipt = last?.decision.receiptId ?? undefined
    if (last === undefined || receipt === undefined) return this.openDashboard()
    await this.#editor.browse(`${last.url}/ui/requests/${encodeURIComponent(receipt)}`)
  }

  /** What the model picker's gear opens. */
  async manage(): Promise<void> {
    if (this.#gateways.entries().length === 0) return this.connect()
    const chosen = await this.#editor.dialogs.pick("Model Gateway", [
      { label: "Connect another gateway, or give one a new key", value: () => this.connect() },
      { label: "Test a connection", value: () => this.test() },
      { label: "Add a master key", value: () => this.addMasterKey() },
      { label: "Copy the configuration for another tool", value: () => this.copyConfiguration() },
      { label: "Open the dashboard", value: () => this.openDashboard() },
      { label: "Disconnect", value: () => this.disconnect() }
    ])
    await chosen?.()
  }

  /** The only one, or the one that is chosen; with none, one can be connected. */
  async #choose(title: string): Promise<Connected | undefined> {
    const { dialogs } = this.#editor
    const connected = await this.#gateways.connected()
    if (connected.length > 1) {
      return dialogs.pick(
        title,
        connected.map((one) => ({ label: one.name, description: one.url, value: one }))
      )
    }
    const [only] = connected
    if (only !== undefined) return only
    const [entry] = this.#gateways.entries()
    const [problem] = this.#gateways.problems()
    const why =
      entry !== undefined
        ? `${entry.name} (${entry.url}) has no key yet.`
        : problem !== undefined
          ? `The setting modelGateway.gateways can't be used. ${problem}`
          : "No gateway is connected."
    if ((await dialogs.warn(why, "Connect")) === "Connect") await this.connect()
    return undefined
  }
}
