/** What a gateway is asked by one open dashboard: the tail of its requests, and its pages as often as they ask again. */
import type { Gateway } from "./Gateway.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** As the pages have it (`packages/dashboard/src`): the overview once a minute, deployments every ten seconds. */
const EVERY_MS = 10_000
const OVERVIEW_EVERY = 6

const HOUR_MS = 3_600_000

/** Asks until it is stopped; then tells how many receipts the tail brought, and how long the slowest answer took. */
export const openDashboard = (gateway: Gateway, server: ServerProcess) => {
  const stop = new AbortController()
  let receipts = 0
  let slowestMs = 0
  let asked = 0
  const ask = async (path: string) => {
    const began = performance.now()
    await gateway.admin(server, path)
    asked++
    slowestMs = Math.max(slowestMs, performance.now() - began)
  }
  const look = async (round: number) => {
    await ask("/admin/deployments")
    if (round % OVERVIEW_EVERY !== 0) return
    const from = new Date(Date.now() - 24 * HOUR_MS).toISOString()
    await ask(`/admin/traffic?from=${from}&interval=hour&histograms=true&compare=true`)
    await ask(`/admin/traffic?from=${from}&interval=hour&group_by=deployment,bucket`)
    await ask(`/admin/overview?from=${from}&limit=6`)
  }
  const pages = (async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      await look(round)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, EVERY_MS)
        stop.signal.addEventListener("abort", () => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  })()
  const tail = (async () => {
    const response = await gateway.open(server, "/admin/requests/stream?max_per_second=20", stop.signal)
    for await (const chunk of response.body ?? []) {
      receipts += Buffer.from(chunk).toString().split("event: receipt").length - 1
    }
  })().catch((cause: unknown) => {
    if (!stop.signal.aborted) throw cause
  })
  return async () => {
    stop.abort()
    await Promise.all([pages, tail])
    return { receipts, asked, slowestMs: Math.round(slowestMs) }
  }
}
