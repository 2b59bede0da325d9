/** Whether what a client saw is what it had to see, and what the gateway booked. */
import { readable } from "./Foreign.ts"
import { isObject, mismatches } from "./Match.ts"
import { fill, type Ready, scriptOf, type World } from "./Render.ts"
import type { Json, JsonObject, Observed, Step } from "./Scenario.ts"

/** What is wrong, one line each; none: the scenario passed. */
export const judge = async (
  { asker, scenario, secrets }: Ready,
  { steps }: Observed,
  world: World
): Promise<ReadonlyArray<string>> => {
  const saved: Record<string, string> = {}
  const problems: Array<string> = []
  for (const [index, step] of scenario.steps.entries()) {
    const observation = steps[index]
    if (observation === undefined) return [...problems, `step ${index + 1} was not done`]
    const expected: JsonObject = JSON.parse(fill(JSON.stringify(step.expect), saved))
    const found = [
      ...unexpectedError(expected, observation),
      ...mismatches(expected, observation),
      ...(await booked(step, observation, world, scenario.server))
    ]
    problems.push(...found.map((problem) => `step ${index + 1}: ${problem}`))
    for (const [name, path] of Object.entries(step.save ?? {})) saved[name] = String(at(observation, path))
  }
  if (scenario.seen !== undefined && scenario.server !== undefined) {
    const seen = await settled(
      () => readable(world.foreign.seen(scriptOf(scenario.server ?? ""), asker)),
      scenario.seen
    )
    problems.push(...mismatches(scenario.seen, seen, "seen"))
  }
  const said = JSON.stringify(steps.map(({ shown, error }) => [shown ?? null, error ?? null]))
  if (secrets.some((secret) => said.includes(secret)))
    problems.push("a key is in what the client shows of itself or of an error")
  return problems
}

const unexpectedError = (expected: JsonObject, { error }: JsonObject): ReadonlyArray<string> =>
  error === undefined || error === null || "error" in expected ? [] : [`failed: ${JSON.stringify(error)}`]

/** The cost that the client tells must be what the ledger says, to the last digit; `step.receipt` is compared too. */
const booked = async (
  { receipt: expected }: Step,
  { error, gateway }: JsonObject,
  world: World,
  server = "gateway"
): Promise<ReadonlyArray<string>> => {
  if (server !== "gateway") return []
  const told = isObject(gateway) ? gateway : {}
  const requestId = isObject(error) ? error["request_id"] : undefined
  const id = told["receipt_id"] ?? requestId
  if (typeof id !== "string") return expected === undefined ? [] : ["there is no receipt to look for"]
  const isFinal = told["cost_is_final"] === true
  if (!isFinal && expected === undefined) return []
  const receipt = await receiptOf(world, id.replace(/^req_/, "rcpt_"))
  if (receipt === undefined) return [`there is no receipt ${id}`]
  const cost = isFinal ? mismatches({ cost_usd: receipt["cost_usd"] ?? null }, told, "gateway") : []
  return [...cost, ...(expected === undefined ? [] : mismatches(expected, receipt, "receipt"))]
}

const LONGEST_MS = 10_000
const PAUSE_MS = 20

/** Receipts are written behind the answers. */
const receiptOf = async (world: World, id: string): Promise<JsonObject | undefined> => {
  for (const deadline = performance.now() + LONGEST_MS; performance.now() < deadline;) {
    const receipt = await world.gateway.admin("GET", `/admin/requests/${id}`).catch(() => undefined)
    if (receipt !== undefined) return receipt
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return undefined
}

/** A closed connection is noticed a moment later. */
const settled = async (look: () => ReadonlyArray<JsonObject>, expected: Json): Promise<ReadonlyArray<JsonObject>> => {
  for (const deadline = performance.now() + LONGEST_MS / 5; performance.now() < deadline;) {
    if (mismatches(expected, look()).length === 0) break
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return look()
}

/** `gateway.receipt_id`, `body.data.0.id`. */
const at = (value: Json, path: string): Json => {
  let current: Json | undefined = value
  for (const name of path.split(".")) {
    if (Array.isArray(current)) current = current[Number(name)]
    else current = isObject(current) ? current[name] : undefined
  }
  return current ?? null
}
