/** VS Code as the extension's editor. */
import * as vscode from "vscode"
import type { Dialogs, Editor } from "../editor/Editor.ts"
import type { StatusView } from "../spend/StatusView.ts"

const SECTION = "modelGateway"

/** What lives as long as the extension is added to `owned`. */
export const vscodeEditor = (context: vscode.ExtensionContext): Editor => {
  const channel = vscode.window.createOutputChannel("Model Gateway", { log: true })
  const status = vscode.window.createStatusBarItem("modelGateway.spend", vscode.StatusBarAlignment.Right, 90)
  status.name = "Model Gateway"
  context.subscriptions.push(channel, status)
  return {
    settings: {
      gateways: () => vscode.workspace.getConfiguration(SECTION).get<unknown>("gateways"),
      setGateways: async (value) =>
        vscode.workspace.getConfiguration(SECTION).update("gateways", value, vscode.ConfigurationTarget.Global)
    },
    secrets: {
      get: async (name) => context.secrets.get(name),
      store: async (name, value) => context.secrets.store(name, value),
      remove: async (name) => context.secrets.delete(name)
    },
    dialogs,
    clipboard: async (text) => vscode.env.clipboard.writeText(text),
    browse: async (url) => void (await vscode.env.openExternal(vscode.Uri.parse(url, true))),
    open: async (content, language) => {
      const document = await vscode.workspace.openTextDocument({ content, language })
      await vscode.window.showTextDocument(document)
    },
    showStatus: (view) => show(status, view),
    log: (line) => channel.info(line),
    showLog: () => channel.show(),
    now: () => Date.now(),
    clock: (date) => date.toLocaleTimeString(vscode.env.language),
    timeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    setContext: (name, value) => void vscode.commands.executeCommand("setContext", `${SECTION}.${name}`, value)
  }
}

const dialogs: Dialogs = {
  ask: async ({ placeholder, problem, prompt, secret, title, value }) =>
    vscode.window.showInputBox({
      title,
      prompt,
      password: secret === true,
      ignoreFocusOut: true,
      ...(value === undefined ? {} : { value }),
      ...(placeholder === undefined ? {} : { placeHolder: placeholder }),
      ...(problem === undefined ? {} : { validateInput: problem })
    }),
  pick: async (title, choices) => {
    const items = choices.map(({ description, detail, label, value }) => ({
      label,
      value,
      ...(description === undefined ? {} : { description }),
      ...(detail === undefined ? {} : { detail })
    }))
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.value
  },
  confirm: async (question, detail, yes) =>
    (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes,
  inform: async (text, ...buttons) => vscode.window.showInformationMessage(withoutLinks(text), ...buttons),
  warn: async (text, ...buttons) => vscode.window.showWarningMessage(withoutLinks(text), ...buttons)
}

/** Messages may hold links, also to commands; what a server says must have none. */
const withoutLinks = (text: string): string => text.replaceAll("](", "] (")

const backgrounds = { warning: "statusBarItem.warningBackground", error: "statusBarItem.errorBackground" } as const

const show = (item: vscode.StatusBarItem, { colour, command, text, tooltip }: StatusView): void => {
  item.text = text
  item.tooltip = new vscode.MarkdownString(tooltip)
  item.command = `${SECTION}.${command}`
  item.backgroundColor = colour === "plain" ? undefined : new vscode.ThemeColor(backgrounds[colour])
  item.show()
}
