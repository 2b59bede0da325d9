/** The clients that are tried. A new one is a file in `clients/` and a line here. */
import type { Client } from "./Client.ts"
import { aiSdk } from "./clients/AiSdk.ts"
import { anthropicPython } from "./clients/AnthropicPython.ts"
import { anthropicTypeScript } from "./clients/AnthropicTypeScript.ts"
import { claudeCode } from "./clients/ClaudeCode.ts"
import { codex } from "./clients/Codex.ts"
import { openaiAgents } from "./clients/OpenAiAgents.ts"
import { openaiAgentsPython } from "./clients/OpenAiAgentsPython.ts"
import { openaiGo } from "./clients/OpenAiGo.ts"
import { openaiNode } from "./clients/OpenAiNode.ts"
import { openaiPython } from "./clients/OpenAiPython.ts"

export const clients: ReadonlyArray<Client> = [
  openaiNode,
  openaiPython,
  openaiGo,
  anthropicTypeScript,
  anthropicPython,
  aiSdk,
  openaiAgents,
  openaiAgentsPython,
  codex,
  claudeCode
]
