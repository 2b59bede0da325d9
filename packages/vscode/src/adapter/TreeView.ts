/** The tree in the side bar. */
import * as vscode from "vscode"
import type { Node } from "../tree/Nodes.ts"
import type { Tree } from "../tree/Tree.ts"

const colours = {
  good: "testing.iconPassed",
  warning: "list.warningForeground",
  error: "list.errorForeground"
} as const

export const treeView = (tree: Tree, changed: vscode.Event<void>): vscode.TreeDataProvider<Node> => ({
  onDidChangeTreeData: changed,
  getChildren: async (node) => [...(node === undefined ? await tree.roots() : ((await node.children?.()) ?? []))],
  getTreeItem: (node) => {
    const item = new vscode.TreeItem(node.label, stateOf(node))
    item.id = node.id
    item.contextValue = node.kind
    if (node.description !== undefined) item.description = node.description
    if (node.tooltip !== undefined) item.tooltip = node.tooltip
    if (node.icon !== undefined) {
      const colour = node.colour === undefined ? undefined : new vscode.ThemeColor(colours[node.colour])
      item.iconPath = new vscode.ThemeIcon(node.icon, colour)
    }
    if (node.kind === "noMasterKey") {
      item.command = { command: "modelGateway.addMasterKey", title: "Add Master Key", arguments: [node] }
    }
    return item
  }
})

const stateOf = (node: Node): vscode.TreeItemCollapsibleState => {
  if (node.children === undefined) return vscode.TreeItemCollapsibleState.None
  return node.isOpen === true ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed
}
