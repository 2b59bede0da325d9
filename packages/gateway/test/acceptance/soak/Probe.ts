/**
 * Loaded into a gateway under soak, beside the product: on SIGUSR2 it says on stderr what is left in the process after a collection
 * of garbage, as one line of JSON.
 */
import { ServerResponse } from "node:http"
import { queryObjects } from "node:v8"
// The package as a whole would load modules that the gateway does not.
import * as Effect from "effect/Effect"

export interface Inventory {
  /** Objects that can still be reached. */
  readonly fibers: number
  readonly responses: number
  /** What keeps the event loop going, by Node's names, such as `TCPSocketWrap` and `Timeout`. */
  readonly resources: Readonly<Record<string, number>>
  /** MB in use: of V8's heap, and what belongs to its objects outside. */
  readonly inUseMb: number
}

export const MARK = "soak-inventory "

const Fiber = Effect.runFork(Effect.void).constructor as new () => unknown

process.on("SIGUSR2", () => {
  const resources: Record<string, number> = {}
  // Counting collects; sizes come after it.
  const counts = {
    fibers: queryObjects(Fiber, { format: "count" }),
    responses: queryObjects(ServerResponse, { format: "count" })
  }
  const { external, heapUsed } = process.memoryUsage()
  const inventory: Inventory = {
    ...counts,
    resources,
    inUseMb: Math.round((heapUsed + external) / 2 ** 19) / 2
  }
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  process.stderr.write(`${MARK}${JSON.stringify(inventory)}\n`)
})
