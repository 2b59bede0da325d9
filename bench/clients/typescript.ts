/**
 * One measurement of one client: `typescript.ts <ours|theirs> <address> plain <calls>` or `… stream <events>`. Prints one line of JSON:
 * `cpu_us`, microseconds of processor time a call or an event, and of a stream `heap_mb`, the most that was live while it ran.
 */
import OpenAI from "openai"
import { Gateway } from "../../packages/client/src/index.ts"

const [whose = "", address = "", what = "", count = ""] = process.argv.slice(2)
const messages = [{ role: "user" as const, content: "A question of some length, as they are." }]

interface Client {
  readonly plain: () => Promise<unknown>
  readonly stream: (model: string) => Promise<AsyncIterable<unknown>>
}

const ours = (): Client => {
  const gateway = new Gateway({ baseUrl: address, apiKey: "mgw_bench" })
  return {
    plain: () => gateway.chat.completions.create({ model: "mini", messages }),
    stream: async (model) => gateway.chat.completions.stream({ model, messages })
  }
}

const theirs = (): Client => {
  const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: "sk-bench" })
  return {
    plain: () => openai.chat.completions.create({ model: "mini", messages }),
    stream: (model) => openai.chat.completions.create({ model, messages, stream: true })
  }
}

const client = whose === "ours" ? ours() : theirs()
const AT_ONCE = 4

const plain = async (calls: number): Promise<void> => {
  let left = calls
  const caller = async () => {
    while (left-- > 0) await client.plain()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, caller))
}

const LOOKS = 10

/** → the most that was live at ten looks on the way. */
const stream = async (events: number, look: boolean): Promise<number> => {
  let seen = 0
  let most = 0
  for await (const _ of await client.stream(`events-${events}`)) {
    if (!look || ++seen % (events / LOOKS) !== 0) continue
    globalThis.gc?.()
    most = Math.max(most, process.memoryUsage().heapUsed)
  }
  return most
}

const cpuOf = async (run: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { system, user } = process.cpuUsage(before)
  return user + system
}

const size = Number(count)
if (what === "plain") {
  await plain(size)
  console.log(JSON.stringify({ cpu_us: (await cpuOf(() => plain(size))) / size }))
} else {
  await stream(size, false)
  const cpu = await cpuOf(() => stream(size, false))
  console.log(JSON.stringify({ cpu_us: cpu / size, heap_mb: (await stream(size, true)) / 2 ** 20 }))
}
