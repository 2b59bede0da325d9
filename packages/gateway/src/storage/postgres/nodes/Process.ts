/** Whether the process of another gateway is alive, where that can be known: on the same machine, in the same process namespace. */
import { readFileSync, readlinkSync } from "node:fs"

/** Processes of the same namespace see each other's IDs: the boot of the machine, and the container. "" if unknown. */
export const space = (): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return ""
  }
}

/** False if the process certainly does not exist. */
export const mayLive = (other: { readonly space: string; readonly pid: number }): boolean => {
  if (other.space === "" || other.space !== space()) return true
  try {
    process.kill(other.pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}
