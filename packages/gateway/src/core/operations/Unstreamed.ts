/** For operations whose answers are never streamed: their requests say so, and nothing is asked of this. */
import { truncated } from "../domain/Failures.ts"
import type { OperationStream } from "./Operation.ts"
import { nothing } from "./ProducedText.ts"

export const unstreamed = (): OperationStream => ({
  started: false,
  usage: undefined,
  serviceTier: undefined,
  failure: truncated("this operation is never streamed"),
  isOver: true,
  produced: { all: () => nothing },
  push: () => "",
  close: () => {},
  ending: () => ""
})
