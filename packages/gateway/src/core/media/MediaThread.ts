/** What runs in the thread that reads files: it imports nothing that the thread would not need. */
import { parentPort } from "node:worker_threads"
import { pdfContents, soundSeconds } from "@model-gateway/protocol/files"
import type { Reading, Task } from "./ReadFile.ts"

parentPort?.on("message", ({ bytes: given, names, room }: Task) => {
  const bytes = Buffer.from(given)
  const { contents: pdf, inflated } = names === undefined ? pdfContents(bytes, room) : NO_PDF
  const seconds = names === undefined ? undefined : soundSeconds(bytes, names)
  // Garbage collection would leave it until the next file.
  given.transfer(0)
  parentPort!.postMessage({ pdf, seconds, inflated } satisfies Reading)
})

const NO_PDF = { contents: undefined, inflated: 0 }
