/** Servers on one core and their load on the others, so that neither disturbs what the other's caches hold. Linux, by `taskset`. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"

/** The process and those that it has started. */
const familyOf = (pid: number): ReadonlyArray<number> => {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, "utf8").trim() : ""
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((child) => familyOf(Number(child))))]
}

const pinTo = (cores: string, pid: number): void => {
  try {
    execFileSync("taskset", ["--all-tasks", "--pid", "--cpu-list", cores, String(pid)], { stdio: "ignore" })
  } catch (error) {
    throw new Error("--core needs taskset (Linux, package util-linux)", { cause: error })
  }
}

export class Pinning {
  private readonly core: number

  /** This process and what it starts from now on goes to all cores but one. */
  constructor(text: string) {
    const cores = availableParallelism()
    this.core = Number(text)
    if (cores < 2) throw new Error("--core needs two cores: one for the servers, the others for their load")
    if (text.trim() === "" || !Number.isInteger(this.core) || this.core < 0 || this.core >= cores)
      throw new Error(`--core is a number from 0 to ${cores - 1}, not ${text}`)
    const others = Array.from({ length: cores }, (_, core) => core).filter((core) => core !== this.core)
    pinTo(others.join(","), process.pid)
  }

  /** A server, with the processes that it has started, goes to that one. */
  pin(pid: number): void {
    for (const one of familyOf(pid)) pinTo(String(this.core), one)
  }
}
