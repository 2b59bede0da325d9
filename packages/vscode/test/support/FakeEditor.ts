/** An editor that remembers what it was shown, and answers dialogs as a test says. */
import type { Editor, Question } from "../../src/editor/Editor.ts"
import type { StatusView } from "../../src/spend/StatusView.ts"

/** What somebody types, or the label of what they pick or press; undefined: they leave. */
export type Reply = string | undefined

export interface FakeEditor extends Editor {
  /** Replies to come, in order. */
  readonly replies: Array<Reply>
  readonly said: Array<string>
  readonly questions: Array<Question>
  readonly lines: Array<string>
  readonly statuses: Array<StatusView>
  readonly copied: Array<string>
  readonly browsed: Array<string>
  readonly opened: Array<string>
  readonly stored: Map<string, string>
  readonly contexts: Map<string, boolean>
  gatewaysSetting: unknown
  time: number
}

export const fakeEditor = (...replies: ReadonlyArray<Reply>): FakeEditor => {
  const editor: FakeEditor = {
    replies: [...replies],
    said: [],
    questions: [],
    lines: [],
    statuses: [],
    copied: [],
    browsed: [],
    opened: [],
    stored: new Map(),
    contexts: new Map(),
    gatewaysSetting: undefined,
    time: Date.parse("2026-11-22T12:00:00Z"),
    settings: {
      gateways: () => editor.gatewaysSetting,
      setGateways: async (value) => {
        editor.gatewaysSetting = value
      }
    },
    secrets: {
      get: async (name) => editor.stored.get(name),
      store: async (name, value) => void editor.stored.set(name, value),
      remove: async (name) => void editor.stored.delete(name)
    },
    dialogs: {
      ask: async (question) => {
        editor.questions.push(question)
        // Somebody who just presses Enter takes what stands there.
        const reply = editor.replies.shift()
        const text = reply === "" ? (question.value ?? "") : reply
        if (text === undefined) return undefined
        const problem = question.problem?.(text)
        if (problem === undefined) return text
        editor.said.push(problem)
        return undefined
      },
      pick: async (title, choices) => {
        editor.said.push(title)
        const reply = editor.replies.shift()
        return choices.find(({ label }) => label === reply)?.value
      },
      confirm: async (question) => {
        editor.said.push(question)
        return editor.replies.shift() === "yes"
      },
      inform: async (text) => {
        editor.said.push(text)
        return editor.replies.shift()
      },
      warn: async (text) => {
        editor.said.push(text)
        return editor.replies.shift()
      }
    },
    clipboard: async (text) => void editor.copied.push(text),
    browse: async (url) => void editor.browsed.push(url),
    open: async (text) => void editor.opened.push(text),
    showStatus: (view) => editor.statuses.push(view),
    log: (line) => editor.lines.push(line),
    showLog: () => {},
    now: () => editor.time,
    clock: (date) => date.toISOString().slice(11, 19),
    timeZone: () => "Europe/Berlin",
    setContext: (name, value) => void editor.contexts.set(name, value)
  }
  return editor
}
