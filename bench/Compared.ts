/** What `bench:cores` compares: one gateway on a file with several on one Postgres. */
import { findPrograms } from "../scripts/postgres/Programs.ts"
import { type PostgresServer, startServer } from "../scripts/postgres/Server.ts"
import { type Bench, type Target, usageOfAll } from "./Bench.ts"
import { Gateway } from "./Gateway.ts"
import { cpuOfServer } from "./PostgresCpu.ts"
import { sharedOutMemory } from "./Processes.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** After the last start, until what starts beside it is there, too. */
const SETTLE_MS = 8_000

export interface Compared {
  readonly name: string
  /** Processes that answer. */
  readonly count: number
  readonly target: Target
  /** Bytes, of all processes, before the first request. */
  readonly idleRss: number
  /** The same, but pages that they share count once. */
  readonly idleTogether: number
  /** Of gateways that share a Postgres: its milliseconds of CPU so far, and their questions for larger shares. */
  readonly shared?: {
    readonly cpuMs: () => number
    readonly questions: () => Promise<number>
  }
}

export class Cores {
  readonly compared: Array<Compared> = []
  private readonly bench: Bench
  private readonly gateways: Array<Gateway> = []
  private postgres: PostgresServer | undefined

  constructor(bench: Bench) {
    this.bench = bench
  }

  /** One gateway on a file of its own. */
  async onFile(): Promise<void> {
    const name = "1 on a file"
    const gateway = this.gateway({})
    await this.add(name, gateway, [await gateway.start(name)], 1)
  }

  /** So many on one Postgres, which others of this bench have to themselves in turns. */
  async onPostgres(nodes: number, reserve: "wait" | "behind"): Promise<void> {
    const server = await this.server()
    const postgres = { url: server.url(), schema: `of_${nodes}`, reserve }
    const gateway = this.gateway({ postgres })
    const name = `${nodes} on Postgres`
    // One after the other: the first makes the tables.
    const servers: Array<ServerProcess> = []
    while (servers.length < nodes) servers.push(await gateway.start(name))
    await this.add(name, gateway, servers, nodes, {
      cpuMs: cpuOfServer(server),
      questions: async () => (await Promise.all(servers.map(questionsOf))).reduce((sum, one) => sum + one, 0)
    })
  }

  async close(): Promise<void> {
    for (const gateway of this.gateways) gateway.remove()
    await Promise.all(
      this.compared.flatMap(({ target: { beside = [], server } }) => [server, ...beside].map((one) => one.stop()))
    )
    await this.postgres?.remove()
  }

  private gateway(options: ConstructorParameters<typeof Gateway>[1]): Gateway {
    const { entry, folder, node } = this.bench.options
    const gateway = new Gateway(this.bench.upstream.url, { folder, entry, node, ...options })
    this.gateways.push(gateway)
    return gateway
  }

  private async add(
    name: string,
    gateway: Gateway,
    [server, ...beside]: ReadonlyArray<ServerProcess>,
    count: number,
    shared?: Compared["shared"]
  ): Promise<void> {
    if (server === undefined) throw new Error(`${name}: there must be one at least`)
    for (const one of [server, ...beside]) this.bench.adopt(one)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const { rss } = await usageOfAll([server, ...beside])
    const together = [server, ...beside].reduce((sum, { pid }) => sum + sharedOutMemory(pid), 0)
    await gateway.makeKey(server)
    const target = { server, beside, key: gateway.key }
    const idle = { idleRss: rss, idleTogether: together }
    this.compared.push({ name, count, target, ...idle, ...(shared === undefined ? {} : { shared }) })
  }

  private async server(): Promise<PostgresServer> {
    if (this.postgres !== undefined) return this.postgres
    const programs = await findPrograms()
    if (programs === undefined) throw new Error("no PostgreSQL: npm can't be reached, and there are none on the PATH")
    this.postgres = await startServer({ bin: programs.bin, settings: ["max_connections=200"] })
    return this.postgres
  }
}

const questionsOf = async ({ url }: ServerProcess): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^gateway_share_questions_total(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1] ?? Number.NaN)
}
