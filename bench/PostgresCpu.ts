/** What a Postgres of one's own uses. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { PostgresServer } from "../scripts/postgres/Server.ts"

/** Milliseconds of CPU of a process, and of those that it has waited for. */
export const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  const [user, system, waitedUser, waitedSystem] = fields.slice(11, 15).map(Number)
  return 10 * ((user ?? 0) + (system ?? 0) + (waitedUser ?? 0) + (waitedSystem ?? 0))
}

/** Of all its processes so far. */
export const cpuOfServer = ({ folder }: PostgresServer) => {
  const postmaster = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0])
  return (): number => {
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(postmaster)], { encoding: "utf8" })
    return [postmaster, ...children.split(/\s+/).filter(Boolean).map(Number)].reduce((sum, pid) => sum + cpuOf(pid), 0)
  }
}
