/** The gateways that clients are run against, each a process of its own until the scope closes. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { gatewayProcess, jsonLine, listening } from "../../packages/gateway/test/support/GatewayProcess.ts"

export interface Gateway {
  readonly url: string
  /** A virtual key. */
  readonly key: string
  readonly masterKey: string
}

/** As a first-time user starts it: `model-gateway demo`. */
export const demoGateway = Effect.fnUntraced(function* (scratch: string) {
  const { ready } = yield* gatewayProcess(["demo", "--json", "--port", "0", "--data", join(scratch, "demo")], jsonLine)
  return { url: ready.url, key: ready.virtual_key, masterKey: ready.master_key } satisfies Gateway as Gateway
})

const masterKey = "aCc3pt-0Nly-kJ8vQz2LmXw5RbNc7YdPf4Hs9AgUe6TiVo1"

/** With a configuration of its own (without server, master key and store). Its key has a budget of ten dollars a day. */
export const gatewayOf = Effect.fnUntraced(function* (scratch: string, yaml: string) {
  mkdirSync(scratch, { recursive: true })
  const file = join(scratch, "gateway.yaml")
  const own = `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: { sqlite: ${join(scratch, "gateway.db")} }\n`
  writeFileSync(file, own + yaml)
  const { ready: url } = yield* gatewayProcess(["serve", "--config", file], listening)
  const body = JSON.stringify({ budgets: [{ usd: 10, window: "day" }] })
  const { key } = yield* admin<{ readonly key: string }>(url, "keys", { method: "POST", body })
  return { url, key, masterKey } satisfies Gateway as Gateway
})

/** All that a gateway of `gatewayOf` has booked. */
export const spendOf = ({ url }: Gateway) =>
  Effect.map(
    admin<{ readonly total: { readonly requests: number; readonly cost_usd: number } }>(url, "spend"),
    ({ total }) => total
  )

const admin = <Answer>(url: string, path: string, request: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { Authorization: `Bearer ${masterKey}`, "Content-Type": "application/json" }
    const answer = await fetch(`${url}/admin/${path}`, { ...request, headers })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  })
