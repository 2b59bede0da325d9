import type { Client } from "../Client.ts"
import { pip } from "../Install.ts"
import { partsOf, pythonProgram } from "../Program.ts"

const folder = "openai-python"
const version = "3.54.0"

export const openaiPython: Client = {
  name: folder,
  version,
  needs: ["python3"],
  install: pip(`openai==${version}`),
  parts: partsOf(folder, ".py"),
  run: pythonProgram(folder)
}
