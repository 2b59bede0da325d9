/** The clients that are tried. A new one is a file in `clients/` and a line here. */
import type { Client } from "./Client.ts"
import { claudeCode } from "./clients/ClaudeCode.ts"
import { codex } from "./clients/Codex.ts"
import { openaiGo } from "./clients/OpenAiGo.ts"
import { openaiNode } from "./clients/OpenAiNode.ts"
import { openaiPython } from "./clients/OpenAiPython.ts"

export const clients: ReadonlyArray<Client> = [openaiNode, openaiPython, openaiGo, codex, claudeCode]
