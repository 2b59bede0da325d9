/** The clients that are tried. A new library is a folder in `programs/` and an entry here. */
import type { Client } from "./Client.ts"
import { claudeCode } from "./clients/ClaudeCode.ts"
import { codex } from "./clients/Codex.ts"
import { goProgram, npm, pip } from "./Install.ts"
import { builtProgram, nodeProgram, partsOf, pythonProgram } from "./Program.ts"

/** A library for JavaScript. `name`: of its folder in `programs/`. */
const node = (
  name: string,
  library: string,
  version: string,
  others: Readonly<Record<string, string>> = {}
): Client => ({
  name,
  version,
  needs: ["node"],
  install: npm({ [library]: version, ...others }, { folders: ["node", name] }),
  parts: partsOf(name, ".mjs"),
  run: nodeProgram(name)
})

const python = (name: string, library: string, version: string): Client => ({
  name,
  version,
  needs: ["python3"],
  install: pip(`${library}==${version}`),
  parts: partsOf(name, ".py"),
  run: pythonProgram(name)
})

/** `version`: as in the program's go.mod. */
const go = (name: string, version: string): Client => ({
  name,
  version,
  needs: ["go"],
  install: goProgram(name),
  parts: partsOf(name, ".go"),
  run: builtProgram
})

const zod = "4.6.7"

export const openaiNode = node("openai-node", "openai", "7.57.0", { ws: "8.23.0" })
export const openaiPython = python("openai-python", "openai", "3.54.0")
export const aiSdk = node("ai-sdk", "ai", "7.0.173", {
  "@ai-sdk/openai": "4.0.118",
  "@ai-sdk/anthropic": "4.0.105",
  zod
})

export const clients: ReadonlyArray<Client> = [
  openaiNode,
  openaiPython,
  go("openai-go", "3.96.0"),
  node("anthropic-typescript", "@anthropic-ai/sdk", "1.12.0", { zod }),
  python("anthropic-python", "anthropic", "2.12.0"),
  aiSdk,
  node("openai-agents", "@openai/agents", "0.20.0", { zod }),
  python("openai-agents-python", "openai-agents", "0.24.0"),
  node("openrouter-sdk", "@openrouter/sdk", "1.3.19"),
  codex,
  claudeCode
]
