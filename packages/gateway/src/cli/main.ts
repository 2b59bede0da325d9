/**
 * `model-gateway`: runs when it is imported. The compiled code is kept between runs, which saves a third of the time to start.
 */
import cluster from "node:cluster"
import { enableCompileCache } from "node:module"
import { fitHeap } from "./Heap.ts"

fitHeap()
enableCompileCache()
await (cluster.isWorker ? import("./Worker.ts") : import("./Run.ts"))
