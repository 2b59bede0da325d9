/** The classifier that ships, as the rules ask for it. */
import { Layer } from "effect"
import { Classifier } from "../core/Classifier.ts"
import { bucketOf, classify } from "./Classifier.ts"

export const layer = Layer.succeed(Classifier, { classify: (prompt) => classify(prompt), bucketOf })
