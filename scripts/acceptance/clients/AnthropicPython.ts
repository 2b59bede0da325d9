import type { Client } from "../Client.ts"
import { pip } from "../Install.ts"
import { partsOf, pythonProgram } from "../Program.ts"

const folder = "anthropic-python"
const version = "2.12.0"

export const anthropicPython: Client = {
  name: folder,
  version,
  needs: ["python3"],
  install: pip(`anthropic==${version}`),
  parts: partsOf(folder, ".py"),
  run: pythonProgram(folder)
}
