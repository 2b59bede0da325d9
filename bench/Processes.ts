/** What the processes of a gateway take together, where the system tells (Linux). */
import { existsSync, readFileSync } from "node:fs"

const text = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "")

/** Itself, and those that it has started. */
export const familyOf = (pid: number): ReadonlyArray<number> => {
  const children = text(`/proc/${pid}/task/${pid}/children`).trim()
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((child) => familyOf(Number(child))))]
}

/**
 * Memory of a process and all below it, bytes: what is resident, with every page that several of them map (the program of Node itself,
 * some 50 MB) divided among them, so that the sum is what they take together. NaN where it is not told.
 */
export const sharedOutMemory = (pid: number): number =>
  familyOf(pid).reduce(
    (sum, one) => sum + Number(/^Pss:\s+(\d+) kB/m.exec(text(`/proc/${one}/smaps_rollup`))?.[1]) * 1024,
    0
  )
