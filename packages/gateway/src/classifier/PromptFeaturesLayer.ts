/** The features that ship, as those that keep them ask for them. */
import { Layer } from "effect"
import { PromptFeatures } from "../core/receipts/KeptPrompt.ts"
import { extract, featureSet } from "./features/PromptFeatures.ts"

export const layer = Layer.succeed(PromptFeatures, { set: featureSet, of: extract })
