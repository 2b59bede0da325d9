/**
 * The gateways that somebody connected: names and addresses from the settings, keys from the editor's store of secrets. A key belongs to
 * an address: whoever changes the address in the settings has not moved the key with it.
 */
import { Gateway } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { type Entry, readEntries } from "./Entries.ts"

export interface Connected extends Entry {
  readonly client: Gateway
  /** Whether a master key is there: what administrators see can be shown. */
  readonly isAdministrator: boolean
}

type Kind = "key" | "master key"

const secretOf = (kind: Kind, url: string): string => `modelGateway ${kind} ${url}`

/** The extension's own, in the gateway's logs. */
const AGENT = "model-gateway-vscode"

/** An answer that does not begin in this time is no answer to somebody who sits before it. */
const PATIENCE_MS = 15_000

export const clientOf = (url: string, apiKey: string, masterKey = ""): Gateway =>
  // An empty key, not none: else the client would take one of the environment, which is for another gateway.
  new Gateway({ baseUrl: url, apiKey, masterKey, headers: { "user-agent": AGENT } })

/** For what is asked beside the chat. */
export const brief = { timeout: PATIENCE_MS, maxRetries: 0 } as const

export class Gateways {
  readonly #editor: Editor
  readonly #listeners = new Set<() => void>()

  constructor(editor: Editor) {
    this.#editor = editor
  }

  /** Called when one came, went, or has other keys. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** As in the settings, with or without a key. */
  entries(): ReadonlyArray<Entry> {
    return readEntries(this.#editor.settings.gateways()).entries
  }

  problems(): ReadonlyArray<string> {
    return readEntries(this.#editor.settings.gateways()).problems
  }

  /** Those with a key, in the order of the settings. */
  async connected(): Promise<ReadonlyArray<Connected>> {
    const found = await Promise.all(this.entries().map((entry) => this.#connect(entry)))
    return found.filter((one) => one !== undefined)
  }

  async named(name: string): Promise<Connected | undefined> {
    const entry = this.entries().find((one) => one.name === name)
    return entry === undefined ? undefined : this.#connect(entry)
  }

  /** Adds it, or gives one of that name another address and key. */
  async add(entry: Entry, key: string): Promise<void> {
    await this.#editor.secrets.store(secretOf("key", entry.url), key)
    const others = this.entries().some((one) => one.name === entry.name)
      ? this.entries().map((one) => (one.name === entry.name ? entry : one))
      : [...this.entries(), entry]
    await this.#editor.settings.setGateways(others.map(({ name, url }) => ({ name, url })))
    this.changed()
  }

  async addMasterKey(url: string, masterKey: string): Promise<void> {
    await this.#editor.secrets.store(secretOf("master key", url), masterKey)
    this.changed()
  }

  /** With its keys, unless another name has the same address. */
  async remove(name: string): Promise<void> {
    const entries = this.entries()
    const others = entries.filter((one) => one.name !== name)
    const gone = entries.find((one) => one.name === name)
    if (gone !== undefined && !others.some((one) => one.url === gone.url)) {
      await this.#editor.secrets.remove(secretOf("key", gone.url))
      await this.#editor.secrets.remove(secretOf("master key", gone.url))
    }
    await this.#editor.settings.setGateways(others.map(({ name, url }) => ({ name, url })))
    this.changed()
  }

  async #connect(entry: Entry): Promise<Connected | undefined> {
    const [key, masterKey] = await Promise.all([
      this.#editor.secrets.get(secretOf("key", entry.url)),
      this.#editor.secrets.get(secretOf("master key", entry.url))
    ])
    if (key === undefined || key === "") return undefined
    return { ...entry, client: clientOf(entry.url, key, masterKey), isAdministrator: (masterKey ?? "") !== "" }
  }
}
