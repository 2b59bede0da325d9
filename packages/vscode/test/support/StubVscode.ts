/** As much of VS Code's API as the extension needs to start, and what it registers there. */

export interface StubVscode {
  readonly vscode: object
  readonly context: object
  readonly commands: Array<string>
  readonly vendors: Array<string>
  readonly said: Array<string>
}

export const stubVscode = (kind: "new" | "without models"): StubVscode => {
  const commands: Array<string> = []
  const vendors: Array<string> = []
  const said: Array<string> = []
  const subscriptions: Array<{ readonly dispose: () => void }> = []
  const disposable = { dispose: () => {} }
  const nothing = () => disposable
  const registerLanguageModelChatProvider = (vendor: string) => {
    vendors.push(vendor)
    return disposable
  }
  const vscode = {
    version: kind === "new" ? "1.139.1" : "1.99.0",
    EventEmitter: class {
      readonly event = nothing
      readonly fire = () => {}
      readonly dispose = () => {}
    },
    MarkdownString: class {},
    ThemeColor: class {},
    ThemeIcon: class {},
    StatusBarAlignment: { Right: 2 },
    window: {
      state: { focused: false },
      createOutputChannel: () => ({ info: () => {}, ...disposable }),
      createStatusBarItem: () => ({ show: () => {}, ...disposable }),
      registerTreeDataProvider: nothing,
      onDidChangeWindowState: nothing,
      showWarningMessage: async (text: string) => void said.push(text)
    },
    workspace: { onDidChangeConfiguration: nothing, getConfiguration: () => ({ get: () => undefined }) },
    commands: {
      registerCommand: (name: string) => {
        commands.push(name)
        return disposable
      },
      executeCommand: async () => undefined
    },
    chat: { createChatParticipant: () => ({ ...disposable }) },
    lm: kind === "new" ? { registerLanguageModelChatProvider } : {}
  }
  // The extension's timer ends when it is told to end: at once, here.
  const context = {
    secrets: { get: async () => undefined, onDidChange: nothing },
    subscriptions: {
      push: (...all: ReadonlyArray<{ readonly dispose: () => void }>) => {
        for (const one of all) one.dispose()
        return subscriptions.push(...all)
      }
    }
  }
  return { vscode, context, commands, vendors, said }
}
