import type { Client } from "../Client.ts"
import { goProgram } from "../Install.ts"
import { builtProgram, partsOf } from "../Program.ts"

const folder = "openai-go"

export const openaiGo: Client = {
  name: folder,
  // As in programs/openai-go/go.mod.
  version: "3.96.0",
  needs: ["go"],
  install: goProgram(folder),
  parts: partsOf(folder, ".go"),
  run: builtProgram
}
