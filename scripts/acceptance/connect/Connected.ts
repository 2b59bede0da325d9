/** The tools that `connect` prints something for, in its order: each is tried with what is printed for it. */
import type { Client } from "../Client.ts"
import { aider, claudeCode, cline, codex, continueCli, geminiCli, opencode } from "./Agents.ts"
import { aiSdk, langchain, openaiNode, openaiPython } from "./Libraries.ts"
import { vscode } from "./VsCode.ts"

export const connected: ReadonlyArray<Client> = [
  codex,
  claudeCode,
  geminiCli,
  opencode,
  continueCli,
  cline,
  aider,
  vscode,
  langchain,
  openaiNode,
  openaiPython,
  aiSdk
]
