/** Runs the programs of `programs/` in a folder made by `Install.ts`, and holds what they say against the gateway's books. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Gateway, Receipt } from "../test/support/Gateway.ts"
import { environment } from "./Install.ts"

const run = promisify(execFile)

/** What a program saw of one step. Amounts in USD. */
interface Step {
  readonly deployment: string
  readonly provider: string
  readonly model: string
  readonly bucket: string
  readonly score: number
  readonly costUsd: number
  readonly costIsFinal: boolean
  readonly retries: number
  readonly receiptId: string
}

interface Result {
  readonly steps: ReadonlyArray<Step>
  readonly calls: number
  readonly totalUsd: number
}

/** The runs of `agents.mjs`, each with a key of its own. */
export const agentRuns = [
  "toolsInvoked",
  "toolsStreamed",
  "providerStrategy",
  "toolStrategy",
  "schemaStreamed"
] as const
export type AgentRun = (typeof agentRuns)[number]

/** The names that the package exports, as an ES module and as CommonJS. */
export const exportedNames = async (folder: string, node: string) => {
  const names = async (program: string): Promise<ReadonlyArray<string>> =>
    JSON.parse((await run(node, [program], { cwd: folder, env: environment(node), timeout: 60_000 })).stdout)
  return { imported: await names("import.mjs"), required: await names("require.cjs") }
}

/** What each agent run tells beside what the gateway booked of it, in the same form, for an assertion that they are equal. */
export const agents = async (gateway: Gateway, folder: string, node: string) => {
  const keys = Object.fromEntries(
    await Promise.all(agentRuns.map(async (name) => [name, await gateway.createKey({ name })] as const))
  )
  const secrets = Object.fromEntries(Object.entries(keys).map(([name, { key }]) => [name, key]))
  const { stdout } = await run(node, ["agents.mjs"], {
    cwd: folder,
    timeout: 60_000,
    env: {
      ...environment(node),
      GATEWAY_URL: gateway.url,
      GATEWAY_KEYS: JSON.stringify(secrets),
      NO_PROXY: "127.0.0.1"
    }
  })
  const results: Record<AgentRun, Result> = JSON.parse(stdout)
  return Promise.all(
    agentRuns.map(async (name) => {
      const { id } = keys[name]!
      const told = results[name]
      const rows = await gateway.ledger(id, told.steps.length)
      const receipts = await gateway.receipts(id, told.steps.length)
      const spent = await gateway.spent(id)
      return {
        name,
        told: { steps: told.steps.map(ofStep), calls: told.calls, byHand: sum(told.steps), total: nano(told.totalUsd) },
        booked: {
          steps: receipts.map(ofReceipt),
          calls: rows.length,
          byHand: rows.reduce((nanos, { cost }) => nanos + cost, 0),
          total: nano(spent)
        }
      }
    })
  )
}

const nano = (usd: number): number => Math.round(usd * 1e9)
const sum = (steps: ReadonlyArray<Step>): number => steps.reduce((nanos, { costUsd }) => nanos + nano(costUsd), 0)

const ofStep = ({ bucket, costIsFinal, costUsd, deployment, model, provider, receiptId, retries, score }: Step) => {
  const cost = nano(costUsd)
  return { receiptId, deployment, provider, model, bucket, score, retries, costIsFinal, cost }
}

const ofReceipt = ({ attempts, cost_usd, decision, id }: Receipt): ReturnType<typeof ofStep> => {
  const { bucket, deployment, model, provider, score } = decision
  const retries = attempts.length - 1
  return { receiptId: id, deployment, provider, model, bucket, score, retries, costIsFinal: true, cost: nano(cost_usd) }
}
