import type { Client } from "../Client.ts"
import { npm } from "../Install.ts"
import { nodeProgram, partsOf } from "../Program.ts"

const folder = "anthropic-typescript"
const version = "1.12.0"

export const anthropicTypeScript: Client = {
  name: folder,
  version,
  needs: ["node"],
  install: npm({ "@anthropic-ai/sdk": version, zod: "4.6.7" }, { folders: ["node", folder] }),
  parts: partsOf(folder, ".mjs"),
  run: nodeProgram(folder)
}
