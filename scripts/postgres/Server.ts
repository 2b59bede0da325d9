/** A Postgres server of one's own, on a free port of loopback, gone with the process that started it. Where that is root, it runs as nobody. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** It refuses to run as root. */
const NOBODY = 65_534
const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const USER = "gateway"
const LONGEST_MS = 60_000

export interface PostgresServer {
  readonly port: number
  readonly folder: string
  /** Of a database on it; without a name, of the one for administration. */
  readonly url: (database?: string) => string
  /** As a power cut of its machine would, all its processes. */
  readonly kill: () => Promise<void>
  /** As its service is stopped: connections are cut, and what was committed is on disk. */
  readonly stop: () => Promise<void>
  /** As `pg_ctl stop -m immediate`: connections are cut, and its next start has to recover. */
  readonly stopAtOnce: () => Promise<void>
  /** After any of them: on the same port, with what it had on disk. */
  readonly start: () => Promise<void>
  /** Stops it and deletes its folder. */
  readonly remove: () => Promise<void>
}

export interface ServerOptions {
  /** A folder with `initdb` and `postgres`. */
  readonly bin: string
  /** Settings such as `fsync=off`. */
  readonly settings?: ReadonlyArray<string>
  /** The port of another one, of which it is to be a standby. `bin` needs `pg_basebackup` then. */
  readonly standbyOf?: number
}

/** Nothing of it has to survive: no test cuts the power. */
export const forTests = ["fsync=off", "full_page_writes=off", "max_connections=300", "shared_buffers=64MB"]

export const startServer = async ({ bin, settings = [], standbyOf }: ServerOptions): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-postgres-"))
  const data = join(folder, "data")
  mkdirSync(data, { mode: 0o700 })
  if (as.uid !== undefined) for (const path of [folder, data]) chownSync(path, as.uid, as.gid)
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, LC_ALL: "C", TZ: "UTC" }
  const port = await freePort()
  const [program, ...args] =
    standbyOf === undefined
      ? ["initdb", "-D", data, "-U", USER, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]
      : ["pg_basebackup", "-D", data, "-U", USER, "-h", "127.0.0.1", "-p", String(standbyOf), "-R", "-c", "fast", "-N"]
  await run(join(bin, program ?? ""), args, { ...as, env, cwd: folder })
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const log = openSync(join(folder, "log"), "a")
    const all = [`listen_addresses=127.0.0.1`, ...settings].flatMap((setting) => ["-c", setting])
    const started = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), "-k", folder, ...all], {
      ...as,
      env,
      cwd: folder,
      stdio: ["ignore", log, log]
    })
    closeSync(log)
    child = started
    await ready(port, () => started.exitCode !== null, folder)
  }
  const end = (signal: NodeJS.Signals) => {
    const ending = child
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return Promise.resolve()
    return new Promise<void>((resolve) => {
      ending.once("exit", () => resolve())
      ending.kill(signal)
    })
  }
  const kill = async () => {
    const { stdout } = await run("ps", ["-o", "pid=", "--ppid", String(child?.pid)]).catch(() => ({ stdout: "" }))
    const ended = end("SIGKILL")
    const children = stdout.split(/\s+/).filter(Boolean).map(Number)
    for (const pid of children) signal(pid, "SIGKILL")
    await ended
    // The next one wants their memory to be free.
    while (children.some((pid) => signal(pid, 0))) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await start()
  return {
    port,
    folder,
    url: (database = "postgres") => `postgres://${USER}@127.0.0.1:${port}/${database}`,
    kill,
    stop: () => end("SIGINT"),
    stopAtOnce: () => end("SIGQUIT"),
    start,
    remove: async () => {
      // At once: connections are cut.
      await end("SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Whether there is such a process. */
const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Of loopback, free a moment ago. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject()))
    })
  })

/** It takes connections a little later than it has its port: while it starts it says so and hangs up. */
const ready = async (port: number, hasEnded: () => boolean, folder: string): Promise<void> => {
  const end = performance.now() + LONGEST_MS
  while (!(await answers(port))) {
    if (hasEnded() || performance.now() > end) {
      throw new Error(`Postgres did not start:\n${readFileSync(join(folder, "log"), "utf8").slice(-2_000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether it asks for a user's name no more: `R` begins the answer of a server that is ready, `E` an error. */
const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const done = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once("error", () => done(false))
    socket.once("close", () => done(false))
    socket.once("connect", () => {
      const body = Buffer.from(`user\0${USER}\0database\0postgres\0\0`)
      const head = Buffer.alloc(8)
      head.writeInt32BE(8 + body.length, 0)
      head.writeInt32BE(196_608, 4)
      socket.write(Buffer.concat([head, body]))
    })
    socket.once("data", (bytes) => done(bytes[0] === 0x52))
  })
