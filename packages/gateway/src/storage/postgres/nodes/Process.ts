/** Telling whether the process of another gateway is alive, where that can be known: on the same machine, among the same processes. */
import { readFileSync, readlinkSync } from "node:fs"

/** Processes of the same space see each other's numbers: since which start of the machine, and in which container. "": unknown. */
export const space = (): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return ""
  }
}

/** False: there is surely no such process. */
export const mayLive = (other: { readonly space: string; readonly pid: number }): boolean => {
  if (other.space === "" || other.space !== space()) return true
  try {
    process.kill(other.pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}
