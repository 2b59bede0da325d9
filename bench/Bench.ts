/**
 * The frame of every bench: the upstream, the bare proxy and the gateway, each in its own process, loaded in turns; what they use
 * while they are loaded; the check of the ledger at the end.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cpus, platform, release } from "node:os"
import { join } from "node:path"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { type Figures, rounded } from "./Figures.ts"
import { Gateway } from "./Gateway.ts"
import type { Job, Report, Round } from "./Job.ts"
import { othersOptions } from "./Options.ts"
import { Pinning } from "./Pinning.ts"
import { ServerProcess } from "./ServerProcess.ts"
import { MODEL, requestBody } from "./Workload.ts"

const BARE_KEY = "sk-bench-0123456789abcdef"
const STARTS = 3
/** Requests to each server before the first round. After 20,000 a gateway gets faster still, for some seconds. */
export const WARM_UP = 60_000
/** No longer than that: a busy machine is not waited for. */
const WARM_UP_MS = 30_000

export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly folder: string | undefined
  readonly entry: string | undefined
  /** Options of Node's own. */
  readonly node: ReadonlyArray<string>
  /** What only some benches have. */
  readonly more: Readonly<Record<string, string | boolean | undefined>>
}

const help = `--rounds N      turns of each server (3)
--seconds N     length of a turn (4)
--folder DIR    where the gateway's store is made (the system's temporary folder)
--gateway FILE  the entry of another checkout, packages/model-gateway/src/main.ts there
--cpu-prof DIR  write a CPU profile of each server there; its figures are then no figures
--core N        servers run on that core alone, the load and the upstream on the others (Linux)`

const parsed = (more: ParseArgsOptionsConfig) =>
  parseArgs({
    options: {
      ...more,
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "4" },
      folder: { type: "string" },
      gateway: { type: "string" },
      "cpu-prof": { type: "string" },
      core: { type: "string" },
      help: { type: "boolean", default: false }
    }
  }).values

export const count = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`)
  return value
}

/** A server under load and what a request to it needs. */
export interface Target {
  readonly server: ServerProcess
  readonly key: string
  /** Where it is another gateway: what its requests need beside the credential. */
  readonly peer?: { readonly headers?: Readonly<Record<string, string>> | undefined }
}

type TurnOfLoad = Omit<Job, "url" | "key" | "from" | "headers">

export class Bench {
  readonly options: Options
  readonly upstream: ServerProcess
  /** Requests that the gateway has answered, in all its lives. */
  private served = 0
  readonly gateway: Gateway
  private readonly load: ChildProcess
  private readonly servers: Array<ServerProcess>
  private readonly pinning: Pinning | undefined

  private constructor(options: Options, upstream: ServerProcess, pinning: Pinning | undefined) {
    this.pinning = pinning
    this.options = options
    this.upstream = upstream
    this.servers = [upstream]
    this.gateway = new Gateway(upstream.url, {
      folder: options.folder,
      entry: options.entry,
      node: options.node
    })
    this.load = fork(join(import.meta.dirname, "load.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  }

  /** Runs a bench from beginning to end and prints what it returns as the last line; any wrong answer is exit code 1. */
  static async run(
    name: string,
    measure: (bench: Bench) => Promise<object>,
    more: {
      readonly help?: string
      readonly options?: ParseArgsOptionsConfig
      /** Options of Node's own, for both proxies. */
      readonly node?: ReadonlyArray<string>
    } = {}
  ): Promise<void> {
    let bench: Bench | undefined
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
    process.once("exit", () => bench?.gateway.remove())
    try {
      const values = parsed({ ...othersOptions, ...more.options })
      const { core, "cpu-prof": profile, folder, gateway: entry, help: wantsHelp, rounds, seconds } = values
      if (wantsHelp) return console.log(help + (more.help ?? ""))
      const options: Options = {
        rounds: count("rounds", rounds),
        seconds: count("seconds", seconds),
        folder,
        entry,
        node: [...(profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", profile]), ...(more.node ?? [])],
        more: values
      }
      const pinning = core === undefined ? undefined : new Pinning(core)
      const upstream = await ServerProcess.start("upstream", [join(import.meta.dirname, "upstream.ts")])
      bench = new Bench(options, upstream, pinning)
      const measured = await measure(bench)
      const { rounds: turns, seconds: length } = options
      console.log(
        JSON.stringify({
          bench: name,
          at: new Date().toISOString(),
          machine: machine(),
          rounds: turns,
          seconds: length,
          ...measured
        })
      )
    } catch (error) {
      console.error(`bench:${name} failed: ${error instanceof Error ? error.message : String(error)}`)
      for (const server of bench?.servers ?? [])
        for (const line of server.said) console.error(`${server.name}: ${line}`)
      process.exitCode = 1
    } finally {
      await bench?.close()
    }
  }

  /** Starts both proxies a few times over, for the time from process start to first answer; the last ones stay. */
  async startProxies() {
    const starts = { bare: [] as Array<Figures>, gateway: [] as Array<Figures> }
    const first = this.adopt(await this.gateway.start())
    await this.gateway.makeKey(first)
    await first.stop()
    let bare: Target | undefined
    let gateway: Target | undefined
    for (let start = 0; start < STARTS; start++) {
      await bare?.server.stop()
      bare = await this.startBare("bare")
      starts.bare.push(await firstAnswer(bare))
      await gateway?.server.stop()
      gateway = { server: this.adopt(await this.gateway.start()), key: this.gateway.key }
      starts.gateway.push(await firstAnswer(gateway))
      this.served++
    }
    return { bare: bare!, gateway: gateway!, starts }
  }

  /** A bare proxy. `file`: responses wait until they are on that disk. */
  async startBare(name: string, { file }: { file?: string } = {}): Promise<Target> {
    const script = join(import.meta.dirname, "bare.ts")
    const args = [...this.options.node, script, this.upstream.url, BARE_KEY, ...(file === undefined ? [] : [file])]
    const server = this.adopt(await ServerProcess.start(name, args))
    return { server, key: BARE_KEY }
  }

  /** A bare proxy whose answers wait for the disk, that of the gateway's store. */
  startBareOnDisk(): Promise<Target> {
    return this.startBare("bare on disk", { file: join(this.gateway.folder, "bare.log") })
  }

  /**
   * Load until a server has answered so many requests: only then has V8 compiled what it will compile, and on a busy machine that
   * takes longer. Gives up after a while, since the figures show what a cold server costs.
   */
  async warmUp(target: Target, requests: number, job: Omit<TurnOfLoad, "seconds">): Promise<void> {
    say(`warming up ${target.server.name}`)
    const until = performance.now() + WARM_UP_MS
    let answered = 0
    while (answered < requests && performance.now() < until)
      answered += (await this.turn(target, { ...job, seconds: 1 })).requests
  }

  /** One turn of load on one server: what the load saw, and what the server's process used. */
  async turn(target: Target, job: TurnOfLoad): Promise<Round & { cpuUs: number; rssMb: number }> {
    const { key, peer, server } = target
    const from = peer !== undefined ? "peer" : server === this.upstream ? "upstream" : "proxy"
    const before = await server.usage()
    const ended = new AbortController()
    const answer = once(this.load, "message", ended) as Promise<[Report]>
    const gone = once(this.load, "exit", ended).then(() => Promise.reject(new Error("the load generator ended")))
    this.load.send({
      ...job,
      url: server.url,
      key,
      from,
      headers: { ...peer?.headers }
    } satisfies Job)
    const [report] = await Promise.race([answer, gone])
    gone.catch(() => undefined)
    ended.abort()
    const after = await server.usage()
    if ("failure" in report) throw new Error(`${server.name}: ${report.failure}`)
    if (server.name === "gateway") this.served += report.round.requests
    return {
      ...report.round,
      cpuUs: after.cpuUs - before.cpuUs,
      rssMb: rounded(after.rss / 2 ** 20, 1)
    }
  }

  /** Has a server of the bench's own ended with the bench. */
  adopt(server: ServerProcess): ServerProcess {
    this.pinning?.pin(server.pid)
    this.servers.push(server)
    return server
  }

  /** Compares the ledger with what was served. */
  books(gateway: Target) {
    return this.gateway.verify(gateway.server, this.served)
  }

  private async close(): Promise<void> {
    this.load.kill()
    await Promise.all(this.servers.map((server) => server.stop()))
  }
}

export const firstAnswer = async ({ key, peer, server }: Target): Promise<Figures> => {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...peer?.headers },
    body: requestBody(MODEL, false)
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${server.name} answered ${response.status}: ${text}`)
  return { "first answer, ms": rounded(performance.now() - server.startedAt, 0) }
}

export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  node: process.version,
  system: `${platform()} ${release()}`
})

/** Progress, which is not part of the figures. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)
