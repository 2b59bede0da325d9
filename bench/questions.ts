/** What administrators and callers ask a large gateway, and how long they wait. */
import type { Target } from "./Bench.ts"
import { type Figures, rounded } from "./Figures.ts"
import type { Gateway } from "./Gateway.ts"
import { keyIdOf } from "./Seed.ts"

/** Times; the clock of a process ticks every 10 ms. */
export const ASKED = 15

const DAY_MS = 86_400_000

export interface Answers {
  /** Of each question, ms; one for each time it was asked. */
  readonly times: ReadonlyArray<Figures>
  /** What an answer costs the server, ms. */
  readonly cpu: Figures
}

/** How long the answers take to questions of administrators and callers, the first of each aside. */
export const ask = async (gateway: Gateway, { key, server }: Target, keys: number): Promise<Answers> => {
  const now = new Date()
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const [last, lastEnd] = [day(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)), day(monthStart)]
  const month = `/admin/spend?from=${last}&to=${lastEnd}`
  const odd = `/admin/spend?from=${last}T05:17:00Z&to=${day(monthStart - DAY_MS)}T11:43:00Z`
  const paths = {
    "spend, this month": "/admin/spend",
    "spend, last month": month,
    "… in Berlin": `${month}&tz=Europe/Berlin`,
    "… of a key": `${month}&key=${keyIdOf(1)}`,
    "… of a team": `${month}&team=team_1`,
    "… of a model": `${month}&model=model-1`,
    "… by day": `${month}&group_by=day`,
    "… by tag": `${month}&group_by=tag`,
    "… by team, not whole hours": `${odd}&group_by=team`,
    "… by day in Berlin": `${month}&group_by=day&tz=Europe/Berlin`,
    "keys, newest 100": "/admin/keys",
    "keys, after one in the middle": `/admin/keys?after=${keyIdOf(Math.ceil(keys / 2))}`,
    "keys, part of a name": `/admin/keys?q=${`service ${keys}`.slice(0, -1)}`,
    "keys, nothing found": "/admin/keys?q=nothing",
    "keys, of a team": "/admin/keys?team=team_3",
    "keys, revoked": "/admin/keys?status=revoked",
    deployments: "/admin/deployments",
    "models that a key may use": "/v1/models"
  }
  const times = Array.from({ length: ASKED }, (): Record<string, number> => ({}))
  const cpu: Record<string, number> = {}
  for (const [name, path] of Object.entries(paths)) {
    const once = async (): Promise<number> => {
      const began = performance.now()
      if (path.startsWith("/admin")) await gateway.admin(server, path)
      else await (await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })).text()
      return rounded(performance.now() - began, 1)
    }
    await once()
    const before = await server.usage()
    for (const time of times) time[name] = await once()
    cpu[name] = rounded(((await server.usage()).cpuUs - before.cpuUs) / 1000 / ASKED, 1)
  }
  return { times, cpu }
}
