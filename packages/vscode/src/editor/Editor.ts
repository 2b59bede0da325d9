/**
 * What the extension needs of the editor, in plain values. The folder `adapter` brings it from VS Code, the tests bring their own: nothing
 * else knows VS Code.
 */
import type { StatusView } from "../spend/StatusView.ts"

export interface Editor {
  readonly settings: EditorSettings
  readonly secrets: Secrets
  readonly dialogs: Dialogs
  readonly clipboard: (text: string) => Promise<void>
  /** In the browser. */
  readonly browse: (url: string) => Promise<void>
  /** A new document, not saved. */
  readonly open: (text: string, language: string) => Promise<void>
  readonly showStatus: (view: StatusView) => void
  /** A line in the output channel. */
  readonly log: (line: string) => void
  readonly showLog: () => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A time of day, as this person writes it. */
  readonly clock: (date: Date) => string
  /** Where this person's day begins, as an IANA name. */
  readonly timeZone: () => string
  /** The tree's buttons depend on what is known. */
  readonly setContext: (name: "connected" | "administrator", value: boolean) => void
}

export interface EditorSettings {
  /** As somebody wrote it: it may be anything. */
  readonly gateways: () => unknown
  readonly setGateways: (value: ReadonlyArray<object>) => Promise<void>
}

/** The editor's own store of secrets, which is encrypted. No key is kept anywhere else. */
export interface Secrets {
  readonly get: (name: string) => Promise<string | undefined>
  readonly store: (name: string, value: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

export interface Choice<Value> {
  readonly label: string
  readonly description?: string | undefined
  readonly detail?: string | undefined
  readonly value: Value
}

export interface Question {
  readonly title: string
  readonly prompt: string
  readonly value?: string
  readonly placeholder?: string
  readonly secret?: boolean
  /** What is wrong with a text, while it is written; undefined: nothing. */
  readonly problem?: (text: string) => string | undefined
}

export interface Dialogs {
  /** undefined: left. */
  readonly ask: (question: Question) => Promise<string | undefined>
  readonly pick: <Value>(title: string, choices: ReadonlyArray<Choice<Value>>) => Promise<Value | undefined>
  /** Before what can't be taken back. */
  readonly confirm: (question: string, detail: string, yes: string) => Promise<boolean>
  /** The button that was pressed, if one was. */
  readonly inform: (text: string, ...buttons: ReadonlyArray<string>) => Promise<string | undefined>
  readonly warn: (text: string, ...buttons: ReadonlyArray<string>) => Promise<string | undefined>
}
