/** A model of the picker, with what a test says of it. */
import type { ModelInfo } from "../../src/models/ModelInfo.ts"

export const model = (more: Partial<ModelInfo> = {}): ModelInfo => ({
  id: "Work/demo/mini",
  name: "demo/mini",
  family: "demo/mini",
  version: "1",
  detail: "",
  tooltip: "",
  contextWindow: 1_000,
  maxInputTokens: 900,
  maxOutputTokens: 100,
  imageInput: false,
  toolCalling: true,
  pricing: "",
  warning: undefined,
  choices: [],
  gateway: "Work",
  model: "demo/mini",
  ...more
})
