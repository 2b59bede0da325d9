/** Where it is put together. */
import * as vscode from "vscode"
import { modelProvider, VENDOR } from "./adapter/ModelProvider.ts"
import { hasModels, hasParticipants } from "./adapter/Newer.ts"
import { treeView } from "./adapter/TreeView.ts"
import { vscodeEditor } from "./adapter/VscodeEditor.ts"
import { Chat, type ChatFailed } from "./chat/Chat.ts"
import { Decisions } from "./chat/Decisions.ts"
import { Commands } from "./commands/Commands.ts"
import { TreeCommands } from "./commands/TreeCommands.ts"
import type { Editor } from "./editor/Editor.ts"
import { Gateways } from "./gateways/Gateways.ts"
import { Participant } from "./participant/Participant.ts"
import { SpendWatch } from "./spend/SpendWatch.ts"
import type { Node } from "./tree/Nodes.ts"
import { Tree } from "./tree/Tree.ts"

const REFRESH_MS = 60_000

export const activate = (context: vscode.ExtensionContext): void => {
  const editor = vscodeEditor(context)
  const gateways = new Gateways(editor)
  const decisions = new Decisions(editor)
  const chat = new Chat(editor, gateways, decisions)
  const commands = new Commands(editor, gateways, decisions, chat)
  const watch = new SpendWatch(editor, gateways, decisions)
  const changed = new vscode.EventEmitter<void>()
  const refreshed = new vscode.EventEmitter<void>()
  const own = (...all: ReadonlyArray<vscode.Disposable>) => context.subscriptions.push(...all)

  gateways.onChange(() => changed.fire())
  watch.onRefresh(() => refreshed.fire())
  const tree = treeView(new Tree(editor, gateways), refreshed.event)
  own(changed, refreshed, vscode.window.registerTreeDataProvider("modelGateway.tree", tree))
  registerCommands(own, editor, gateways, commands, new TreeCommands(editor, gateways, chat))
  registerModels(own, editor, chat, changed.event, commands)
  registerParticipant(own, new Participant(editor, gateways, decisions, chat))

  own(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("modelGateway")) return
      for (const problem of gateways.problems()) editor.log(`The setting modelGateway.gateways: ${problem}`)
      gateways.changed()
    }),
    context.secrets.onDidChange(() => gateways.changed()),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && void watch.refresh())
  )
  const timer = setInterval(() => vscode.window.state.focused && void watch.refresh(), REFRESH_MS)
  own({ dispose: () => clearInterval(timer) })
  void watch.refresh()
}

type Own = (...all: ReadonlyArray<vscode.Disposable>) => void

const registerCommands = (
  own: Own,
  editor: Editor,
  gateways: Gateways,
  commands: Commands,
  tree: TreeCommands
): void => {
  const all: Readonly<Record<string, (node?: Node) => void | Promise<void>>> = {
    connect: () => commands.connect(),
    disconnect: () => commands.disconnect(),
    test: () => commands.test(),
    addMasterKey: (node) => commands.addMasterKey(node?.gateway),
    copyConfiguration: () => commands.copyConfiguration(),
    openDashboard: () => commands.openDashboard(),
    openReceipt: () => commands.openReceipt(),
    showLog: () => editor.showLog(),
    manage: () => commands.manage(),
    refresh: () => gateways.changed(),
    disableDeployment: (node) => node && tree.disable(node),
    enableDeployment: (node) => node && tree.enable(node),
    createKey: (node) => node && tree.createKey(node),
    revokeKey: (node) => node && tree.revokeKey(node)
  }
  for (const [name, run] of Object.entries(all)) own(vscode.commands.registerCommand(`modelGateway.${name}`, run))
}

const registerModels = (
  own: Own,
  editor: Editor,
  chat: Chat,
  changed: vscode.Event<void>,
  commands: Commands
): void => {
  if (!hasModels()) {
    const text = `This editor (VS Code ${vscode.version}) takes no models from extensions; VS Code does from 1.104 on. Spend, tree and commands work.`
    editor.log(text)
    void editor.dialogs.warn(text)
    return
  }
  const failed = async ({ trouble: { help, text } }: ChatFailed): Promise<void> => {
    if (help === undefined) return
    const button = help === "connect" ? "Enter Another Key" : "Open Dashboard"
    if ((await editor.dialogs.warn(text, button)) === undefined) return
    await (help === "connect" ? commands.connect() : commands.openDashboard())
  }
  const provider = modelProvider(
    chat,
    changed,
    () => commands.manage(),
    (failure) => void failed(failure)
  )
  own(vscode.lm.registerLanguageModelChatProvider(VENDOR, provider))
}

const registerParticipant = (own: Own, participant: Participant): void => {
  if (!hasParticipants()) return
  const handler: vscode.ChatRequestHandler = async (request, _context, stream) => {
    stream.markdown(await participant.answer({ command: request.command, prompt: request.prompt }))
  }
  const registered = vscode.chat.createChatParticipant("model-gateway.gateway", handler)
  registered.iconPath = new vscode.ThemeIcon("arrow-swap")
  own(registered)
}
