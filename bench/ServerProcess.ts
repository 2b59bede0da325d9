/** A server in a process of its own, and what that process uses. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import type { Usage } from "./probe.ts"

/** Linux counts a process's CPU in ticks of 10 ms: a round of a few seconds is exact to about half a percent. */
const TICK_US = 10_000
const START_MS = 60_000
/** Where a machine is busy, a large program of other people takes minutes. */
const PEER_START_MS = 300_000
/** Between two attempts to connect. */
const LOOK_MS = 10
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

/** A program of other people. */
export interface Program {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** Keeps the last lines of what a process says. */
const remember = (output: Readable, said: Array<string>, each: (line: string) => void = () => {}): void => {
  createInterface(output).on("line", (line) => {
    said.push(line)
    if (said.length > MOST_LINES) said.shift()
    each(line)
  })
}

/** Where it listens, as soon as `watch` says so. It ends with this process. */
const untilUp = (
  name: string,
  child: ChildProcess,
  said: ReadonlyArray<string>,
  longest: number,
  watch: (listens: (url: string) => void) => void
): Promise<string> => {
  const stopWithUs = () => killAll(child)
  process.once("exit", stopWithUs)
  child.once("exit", () => process.off("exit", stopWithUs))
  return new Promise((resolve, reject) => {
    const failed = (why: string) => {
      reject(new Error(`${name} ${why}\n${said.join("\n")}`))
      killAll(child)
    }
    const timer = setTimeout(() => failed(`did not listen within ${longest} ms`), longest)
    child.once("error", (error) => failed(`could not be started: ${error.message}`))
    child.once("exit", (code) => failed(`ended with exit code ${code}`))
    watch((url) => {
      clearTimeout(timer)
      resolve(url)
    })
  })
}

/** With the processes it has started, where it leads a group of its own. */
const killAll = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
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
    const said: Array<string> = []
    const url = await untilUp(name, child, said, START_MS, (listens) => {
      remember(child.stderr!, said, (line) => {
        const listening = /listening on (http:\S+)/.exec(line)
        if (listening !== null) listens(listening[1]!)
      })
    })
    return new ServerProcess(name, url, startedAt, child, said)
  }

  /** Starts a program that does not say where it listens, with nothing of this process's environment but the PATH, and waits until it takes connections there. */
  static async startAt(name: string, port: number, { args, env, program }: Program): Promise<ServerProcess> {
    if (!hasProc)
      throw new Error("what a program that is not ours uses is read from /proc, which this system does not have")
    const startedAt = performance.now()
    const child = spawn(program, args, {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    const said: Array<string> = []
    for (const output of [child.stdout, child.stderr]) remember(output, said)
    const url = await untilUp(name, child, said, PEER_START_MS, (listens) => {
      const look = () => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.destroy()
          listens(`http://127.0.0.1:${port}`)
        })
        socket.once("error", () => child.exitCode === null && child.signalCode === null && setTimeout(look, LOOK_MS))
      }
      look()
    })
    return new ServerProcess(name, url, startedAt, child, said)
  }

  get pid(): number {
    return this.child.pid ?? 0
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
    const timer = setTimeout(() => killAll(this.child), STOP_MS)
    await gone
    clearTimeout(timer)
    // What it left behind.
    killAll(this.child)
  }
}
