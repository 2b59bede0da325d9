/** The processes of this gateway, as administrators and metrics see them. */
import { hostname } from "node:os"
import { Context, Effect, Layer } from "effect"
import { ProductVersion } from "../core/domain/About.ts"
import { type NodeRecord, Nodes } from "../core/nodes/Nodes.ts"
import { StoreHealth } from "../core/domain/StoreHealth.ts"
import { Workers } from "../core/nodes/Workers.ts"
import type { Crew, CrewMember } from "./Crew.ts"
import { Books } from "./OwnedStore.ts"

/** Over the store's own, which know of one process. `count`: how many workers there are to be. */
export const layer = (crew: Crew, count: number) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { list } = yield* Nodes
      const { grants } = yield* Books
      const health = yield* StoreHealth
      const version = yield* ProductVersion
      const workers = () => Array.from(crew.members).toSorted((one, other) => one.number - other.number)
      const recordOf = ({ number, sharesHeld, startedAt }: CrewMember): NodeRecord => ({
        id: number,
        name: `${hostname()} worker ${number}`,
        version,
        joinedAt: startedAt,
        leaseMs: null,
        heardAt: null,
        lagMs: 0,
        sharesHeld: sharesHeld(),
        state: health.trouble() === undefined ? "working" : "refusing",
        isThis: false
      })
      return Context.make(Nodes, {
        list: Effect.map(list, ({ nodes, trouble }) => ({ nodes: [...nodes, ...workers().map(recordOf)], trouble })),
        vitals: undefined,
        sharing: {
          held: () => workers().reduce((sum, { sharesHeld }) => sum + sharesHeld(), 0),
          recalls: () => grants.recalls,
          questions: () => crew.questions
        }
      }).pipe(
        Context.add(Workers, {
          count,
          vitals: (number: number) => workers().find((one) => one.number === number)?.state?.vitals,
          restarts: () => crew.restarts
        })
      )
    })
  )
