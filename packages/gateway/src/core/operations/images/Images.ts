/** Images: made from a text, changed, varied. */
import { imagesContent } from "@model-gateway/protocol"
import type { Operation } from "../Operation.ts"
import { nothing } from "../ProducedText.ts"
import { imagesAnswer } from "./ImagesAnswer.ts"
import { ImagesRelay } from "./ImagesRelay.ts"
import { readEdit, readGeneration, readVariation } from "./ReadImages.ts"

const shared = {
  content: imagesContent,
  produced: () => nothing,
  withMetadata: (answer, _usage, report) => imagesAnswer(answer, report)
} satisfies Partial<Operation>

export const images: Operation = {
  ...shared,
  name: "images",
  path: "/v1/images/generations",
  read: readGeneration,
  relay: () => new ImagesRelay("image_generation")
}

export const imageEdits: Operation = {
  ...shared,
  name: "image_edits",
  path: "/v1/images/edits",
  accepts: "either",
  read: readEdit,
  relay: () => new ImagesRelay("image_edit")
}

export const imageVariations: Operation = {
  ...shared,
  name: "image_variations",
  path: "/v1/images/variations",
  accepts: "form",
  read: readVariation,
  relay: () => new ImagesRelay("image_variation")
}
