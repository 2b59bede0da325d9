/** Keeps the status bar true: asks `GET /v1/key` after each answer, when somebody comes back to the window, and once a minute. */
import { AuthenticationError } from "@model-gateway/client"
import type { Decisions } from "../chat/Decisions.ts"
import type { Editor } from "../editor/Editor.ts"
import type { Connected, Gateways } from "../gateways/Gateways.ts"
import { troubleOf } from "../gateways/Trouble.ts"
import { dollars } from "./Money.ts"
import { notConnected, spendView, troubleView } from "./StatusView.ts"
import { readOwnKey } from "./OwnKey.ts"

export class SpendWatch {
  readonly #editor: Editor
  readonly #gateways: Gateways
  readonly #decisions: Decisions
  readonly #listeners = new Set<() => void>()
  #asking: Promise<void> | undefined
  #isAskedAgain = false

  constructor(editor: Editor, gateways: Gateways, decisions: Decisions) {
    this.#editor = editor
    this.#gateways = gateways
    this.#decisions = decisions
    gateways.onChange(() => void this.refresh())
    decisions.onChange(() => void this.refresh())
  }

  /** Called when the status bar was brought up to date: what else shows spend is, too. */
  onRefresh(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** However often it is called, one question is on its way, and one waits. */
  refresh(): Promise<void> {
    if (this.#asking !== undefined) this.#isAskedAgain = true
    return (this.#asking ??= this.#run().finally(() => (this.#asking = undefined)))
  }

  async #run(): Promise<void> {
    do {
      this.#isAskedAgain = false
      await this.#ask().catch((error: unknown) => {
        // Where the system has no keyring, or it is locked.
        const text = `The editor's store of secrets can't be read: ${String(error)}`
        this.#editor.showStatus(troubleView("Model Gateway", text, false))
      })
      for (const listener of this.#listeners) listener()
    } while (this.#isAskedAgain)
  }

  async #ask(): Promise<void> {
    const connected = await this.#gateways.connected()
    this.#editor.setContext("connected", connected.length > 0)
    this.#editor.setContext(
      "administrator",
      connected.some(({ isAdministrator }) => isAdministrator)
    )
    const last = this.#decisions.last()?.gateway
    const shown = connected.find(({ name }) => name === last) ?? connected[0]
    if (shown === undefined) return this.#editor.showStatus(notConnected)
    await this.#show(shown, connected)
  }

  async #show(shown: Connected, all: ReadonlyArray<Connected>): Promise<void> {
    const { name, url } = shown
    const { clock, now, timeZone } = this.#editor
    try {
      const view = spendView(name, await readOwnKey(shown.client, timeZone()), this.#decisions.last(name)?.decision)
      const others = await Promise.all(all.filter((one) => one !== shown).map((one) => otherLine(one, timeZone())))
      this.#editor.showStatus({ ...view, tooltip: [view.tooltip, ...others].join("\n\n") })
    } catch (error) {
      const trouble = troubleOf(error, { name, url, now: now(), clock })
      this.#editor.showStatus(troubleView(name, trouble.text, error instanceof AuthenticationError))
    }
  }
}

/** A gateway that is not shown has one line; whether it can be asked matters when it is used. */
const otherLine = async ({ client, name }: Connected, timeZone: string): Promise<string> => {
  try {
    const { spend } = await readOwnKey(client, timeZone)
    return `${name}: today ${dollars(spend.day_usd)}`
  } catch {
    return `${name}: no answer`
  }
}
