import type { Client } from "../Client.ts"
import { npm } from "../Install.ts"
import { nodeProgram, partsOf } from "../Program.ts"

const folder = "ai-sdk"
const version = "7.0.173"

export const aiSdk: Client = {
  name: folder,
  version,
  needs: ["node"],
  install: npm(
    { ai: version, "@ai-sdk/openai": "4.0.118", "@ai-sdk/anthropic": "4.0.105", zod: "4.6.7" },
    { folders: ["node", folder] }
  ),
  parts: partsOf(folder, ".mjs"),
  run: nodeProgram(folder)
}
