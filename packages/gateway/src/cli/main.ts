/**
 * `model-gateway`: runs when it is imported. The compiled code is kept between runs, which saves a third of the time to start.
 */
import { enableCompileCache } from "node:module"
import { isOwnWorker } from "../workers/Own.ts"
import { fitHeap } from "./process/Heap.ts"

fitHeap()
enableCompileCache()
await (isOwnWorker() ? import("./serve/Worker.ts") : import("./Run.ts"))
