import type { Client } from "../Client.ts"
import { pip } from "../Install.ts"
import { partsOf, pythonProgram } from "../Program.ts"

const folder = "openai-agents-python"
const version = "0.24.0"

export const openaiAgentsPython: Client = {
  name: folder,
  version,
  needs: ["python3"],
  install: pip(`openai-agents==${version}`),
  parts: partsOf(folder, ".py"),
  run: pythonProgram(folder)
}
