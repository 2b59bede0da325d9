import type { Client } from "../Client.ts"
import { npm } from "../Install.ts"
import { nodeProgram, partsOf } from "../Program.ts"

const folder = "openai-node"
const version = "7.57.0"

export const openaiNode: Client = {
  name: folder,
  version,
  needs: ["node"],
  install: npm({ openai: version }, { folders: ["node", folder] }),
  parts: partsOf(folder, ".mjs"),
  run: nodeProgram(folder)
}
