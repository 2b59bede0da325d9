/** A file has one process at a time. */
import { hostname } from "node:os"
import { Clock, Effect, Layer } from "effect"
import { ProductVersion } from "../../../core/domain/About.ts"
import { type NodeRecord, Nodes } from "../../../core/admin/Nodes.ts"
import { Writer } from "../writer/Writer.ts"

export const layer = Layer.effect(
  Nodes,
  Effect.gen(function* () {
    const writer = yield* Writer
    const version = yield* ProductVersion
    const joinedAt = yield* Clock.currentTimeMillis
    const own = (): NodeRecord => ({
      id: 0,
      name: hostname(),
      version,
      joinedAt,
      leaseMs: null,
      heardAt: null,
      lagMs: writer.times.lagMs(),
      sharesHeld: 0,
      state: writer.trouble === undefined ? "working" : "refusing",
      isThis: true
    })
    const list = Effect.sync(() => ({ nodes: [own()], trouble: undefined }))
    return { list, older: Effect.succeed([]), vitals: undefined, sharing: undefined }
  })
)
