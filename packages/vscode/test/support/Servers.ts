/** The servers that all test files share, and the extension's parts put together on a fake editor. */
import { inject } from "vitest"
import { Chat } from "../../src/chat/Chat.ts"
import { Decisions } from "../../src/chat/Decisions.ts"
import { Commands } from "../../src/commands/Commands.ts"
import { TreeCommands } from "../../src/commands/TreeCommands.ts"
import { clientOf, Gateways } from "../../src/gateways/Gateways.ts"
import { Participant } from "../../src/participant/Participant.ts"
import { SpendWatch } from "../../src/spend/SpendWatch.ts"
import { Tree } from "../../src/tree/Tree.ts"
import { type FakeEditor, fakeEditor, type Reply } from "./FakeEditor.ts"

export const servers = () => inject("editorServers")

export const administrator = () => clientOf(servers().url, "", servers().masterKey)

/** A virtual key's secret. */
export const newKey = async (body: object = {}): Promise<string> => (await administrator().admin.keys.create(body)).key

let asker = 0

/** The server that plays a script; its requests are counted alone. */
export const scriptUrl = (script: string): string => `${servers().foreign}/${script}/vscode-${process.pid}-${asker++}`

export interface Parts {
  readonly editor: FakeEditor
  readonly gateways: Gateways
  readonly decisions: Decisions
  readonly chat: Chat
  readonly commands: Commands
  readonly treeCommands: TreeCommands
  readonly participant: Participant
  readonly watch: SpendWatch
  readonly tree: Tree
}

export const extension = (...replies: ReadonlyArray<Reply>): Parts => {
  const editor = fakeEditor(...replies)
  const gateways = new Gateways(editor)
  const decisions = new Decisions(editor)
  const chat = new Chat(editor, gateways, decisions)
  return {
    editor,
    gateways,
    decisions,
    chat,
    commands: new Commands(editor, gateways, decisions, chat),
    treeCommands: new TreeCommands(editor, gateways, chat),
    participant: new Participant(editor, gateways, decisions, chat),
    watch: new SpendWatch(editor, gateways, decisions),
    tree: new Tree(editor, gateways)
  }
}

/** With the gateway connected as `Work`. */
export const connected = async (
  { key = {}, isAdministrator = false }: { readonly key?: object; readonly isAdministrator?: boolean } = {},
  ...replies: ReadonlyArray<Reply>
): Promise<Parts> => {
  const parts = extension(...replies)
  const { masterKey, url } = servers()
  await parts.gateways.add({ name: "Work", url }, await newKey(key))
  if (isAdministrator) await parts.gateways.addMasterKey(url, masterKey)
  return parts
}
