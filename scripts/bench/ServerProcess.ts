/** A server in a process of its own, and what that process uses. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Usage } from "./probe.ts"
import { type Threads, threadsOf } from "./Threads.ts"

/** Linux counts a process's CPU in ticks of 10 ms: a round of a few seconds is exact to about half a percent. */
const TICK_US = 10_000
const START_MS = 30_000
/** Draining included. */
const STOP_MS = 15_000
const MOST_LINES = 20

const hasProc = existsSync("/proc/self/stat")

/** Resident memory of a process, bytes. */
export interface Memory {
  readonly rss: number
  /** Its heap, stacks and what was allocated; the rest is the program of Node itself, which all processes of it share. 0: not told. */
  readonly own: number
}

/** Of a process and all below it. */
const usageOf = (pid: number): Usage => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name, in parentheses, may hold spaces; the 12th and 13th field after it are user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  const own: Usage = {
    cpuUs: (Number(fields[11]) + Number(fields[12])) * TICK_US,
    rss: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
  }
  return (children === "" ? [] : children.split(" "))
    .map((child) => usageOf(Number(child)))
    .reduce((sum, { cpuUs, rss }) => ({ cpuUs: sum.cpuUs + cpuUs, rss: sum.rss + rss }), own)
}

export class ServerProcess {
  readonly name: string
  /** Where it listens, without a trailing slash. */
  readonly url: string
  /** `performance.now()` when the process was started. */
  readonly startedAt: number
  /** What it said on stderr, the last lines of it. */
  readonly said: ReadonlyArray<string>
  private readonly child: ChildProcess

  private constructor(name: string, url: string, startedAt: number, child: ChildProcess, said: ReadonlyArray<string>) {
    this.name = name
    this.url = url
    this.startedAt = startedAt
    this.child = child
    this.said = said
  }

  /** Starts `node <args>` and waits until it says on stderr where it listens. `env`: on top of this process's. */
  static async start(name: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const startedAt = performance.now()
    const probe = hasProc ? [] : ["--import", join(import.meta.dirname, "probe.ts")]
    const child = spawn(process.execPath, [...probe, ...args], {
      env: { ...process.env, ...env },
      stdio: hasProc ? ["ignore", "ignore", "pipe"] : ["ignore", "ignore", "pipe", "ipc"]
    })
    const stopWithUs = () => child.kill("SIGKILL")
    process.once("exit", stopWithUs)
    child.once("exit", () => process.off("exit", stopWithUs))
    const said: Array<string> = []
    const url = await new Promise<string>((resolve, reject) => {
      const failed = (why: string) => reject(new Error(`${name} ${why}\n${said.join("\n")}`))
      const timer = setTimeout(() => failed(`did not listen within ${START_MS} ms`), START_MS)
      child.once("error", (error) => failed(`could not be started: ${error.message}`))
      child.once("exit", (code) => failed(`ended with exit code ${code}`))
      createInterface(child.stderr!).on("line", (line) => {
        said.push(line)
        if (said.length > MOST_LINES) said.shift()
        const listening = /listening on (http:\S+)/.exec(line)
        if (listening === null) return
        clearTimeout(timer)
        resolve(listening[1]!)
      })
    })
    return new ServerProcess(name, url, startedAt, child, said)
  }

  /** User and system time of the process and those it has started so far, µs, and their resident memory, bytes. */
  async usage(): Promise<Usage> {
    if (!hasProc) {
      this.child.send("usage")
      const [usage] = (await once(this.child, "message")) as [Usage]
      return usage
    }
    return usageOf(this.child.pid ?? 0)
  }

  /** Of the process itself; empty where there is no `/proc`. */
  threads(): Threads {
    return hasProc ? threadsOf(this.child.pid ?? 0) : new Map()
  }

  /** What is resident of the process alone. */
  async memory(): Promise<Memory> {
    if (!hasProc) return { rss: (await this.usage()).rss, own: 0 }
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8")
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024
    return { rss: bytes("VmRSS"), own: bytes("RssAnon") }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = once(this.child, "exit")
    this.child.kill("SIGTERM")
    const timer = setTimeout(() => this.child.kill("SIGKILL"), STOP_MS)
    await gone
    clearTimeout(timer)
  }
}
