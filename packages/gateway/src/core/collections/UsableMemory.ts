/** The memory of this process. */
import { totalmem } from "node:os"
import { getHeapStatistics } from "node:v8"

/** Bytes that it may use: the machine's, the container's, or twice what the heap may grow to, whichever is least. */
export const usableMemory = (): number => {
  const constrained = process.constrainedMemory()
  return Math.min(totalmem(), constrained > 0 ? constrained : Infinity, 2 * getHeapStatistics().heap_size_limit)
}
