/** A framing that no protocol of the gateway has: a JSON value a line. */
import type { Framing, WireEvent } from "../../src/core/pool/Framing.ts"

export const lines: Framing = {
  mediaType: "application/x-ndjson",
  decoder: () => {
    let rest = ""
    const events = (texts: ReadonlyArray<string>): ReadonlyArray<WireEvent> =>
      texts.filter((text) => text !== "").map((data) => ({ kind: "", data }))
    return {
      tooLong: false,
      push: (bytes) => {
        const texts = (rest + Buffer.from(bytes).toString("utf8")).split("\n")
        rest = texts.pop() ?? ""
        return events(texts)
      },
      end: () => events([rest])
    }
  }
}
