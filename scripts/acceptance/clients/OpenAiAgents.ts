import type { Client } from "../Client.ts"
import { npm } from "../Install.ts"
import { nodeProgram, partsOf } from "../Program.ts"

const folder = "openai-agents"
const version = "0.20.0"

export const openaiAgents: Client = {
  name: folder,
  version,
  needs: ["node"],
  install: npm({ "@openai/agents": version, zod: "4.6.7" }, { folders: ["node", folder] }),
  parts: partsOf(folder, ".mjs"),
  run: nodeProgram(folder)
}
