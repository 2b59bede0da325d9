/** The CPU of a process by its threads, user and system time apart. Linux only: elsewhere there is nothing to read it from. */
import { readdirSync, readFileSync } from "node:fs"
import { type Figures, rounded } from "./Figures.ts"

const TICK_US = 10_000

/** µs. */
interface Time {
  readonly user: number
  readonly system: number
}

/** By the name of a thread; those that share one are added up. */
export type Threads = ReadonlyMap<string, Time>

export const threadsOf = (pid: number): Threads => {
  const all = new Map<string, Time>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = statOf(pid, id)
    if (stat === undefined) continue
    // The name stands in parentheses and may hold spaces; the 12th and 13th field after it are user and system time.
    const end = stat.lastIndexOf(")")
    const fields = stat.slice(end + 2).split(" ")
    const name = id === String(pid) ? "main" : stat.slice(stat.indexOf("(") + 1, end)
    const { system, user } = all.get(name) ?? { user: 0, system: 0 }
    all.set(name, {
      user: user + Number(fields[11]) * TICK_US,
      system: system + Number(fields[12]) * TICK_US
    })
  }
  return all
}

/** Undefined for a thread that has ended since it was listed. */
const statOf = (pid: number, id: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8")
  } catch {
    return undefined
  }
}

/** What each thread used between two looks, µs for each of `count`. */
export const perRequest = (before: Threads, after: Threads, count: number): Figures =>
  Object.fromEntries(
    [...after].flatMap(([name, { system, user }]) => {
      const from = before.get(name) ?? { user: 0, system: 0 }
      return [
        [`${name}, user`, rounded((user - from.user) / count)],
        [`${name}, system`, rounded((system - from.system) / count)]
      ]
    })
  )
