/** What a process uses over time. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"

export interface Sample {
  /** Seconds since the load began. */
  readonly at: number
  readonly rssMb: number
  /** Open files, sockets among them; undefined where there is no `/proc`. */
  readonly files: number | undefined
}

const hasProc = existsSync("/proc/self/status")

export const sample = (pid: number, at: number): Sample => {
  if (!hasProc) {
    const rss = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }))
    return { at, rssMb: rss / 1024, files: undefined }
  }
  const rss = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
  return { at, rssMb: rss / 1024, files: readdirSync(`/proc/${pid}/fd`).length }
}

/** One line for each minute of the load, and what came of it in all. */
export const table = (samples: ReadonlyArray<Sample>, perMinute: ReadonlyArray<number>): ReadonlyArray<string> => [
  "| minute | requests | RSS MB, mean | most | open files, most |",
  "|---|---|---|---|---|",
  ...perMinute.map((requests, minute) => {
    const own = samples.filter(({ at }) => Math.floor(at / 60) === minute)
    const rss = own.map(({ rssMb }) => rssMb)
    const mean = rss.reduce((sum, one) => sum + one, 0) / Math.max(1, rss.length)
    const files = own.map(({ files }) => files ?? 0)
    return `| ${minute + 1} | ${requests} | ${mean.toFixed(0)} | ${Math.max(0, ...rss).toFixed(0)} | ${Math.max(0, ...files)} |`
  })
]
