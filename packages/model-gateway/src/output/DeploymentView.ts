/** Deployments as people read them. */
import { type Column, table } from "./Table.ts"
import { count, list, milliseconds, orNothing, percent, time } from "./TextOutput.ts"

interface ShownDeployment {
  readonly id: string
  readonly status: string
  readonly buckets: ReadonlyArray<string>
  readonly in_flight: number
  readonly failure_rate_15m: number | null
  readonly keys: ReadonlyArray<{ readonly index: number; readonly state: string; readonly until: string | null }>
  readonly health: {
    readonly circuit: string
    readonly latency_ms_p50: number | null
    readonly ttft_ms_p50: number | null
    readonly last_error: { readonly at: string; readonly class: string } | null
  }
}

const columns: ReadonlyArray<Column<ShownDeployment>> = [
  { title: "ID", value: (one) => orNothing(one.id) },
  { title: "STATUS", value: (one) => (one.status === "in_rotation" ? "enabled" : "disabled") },
  { title: "CIRCUIT", value: (one) => orNothing(one.health.circuit.replace("_", " ")) },
  {
    title: "FAILED, 15 MIN",
    value: (one) => (one.failure_rate_15m === null ? orNothing(null) : percent(one.failure_rate_15m)),
    align: "right"
  },
  { title: "LATENCY", value: (one) => milliseconds(one.health.latency_ms_p50), align: "right" },
  { title: "1ST TOKEN", value: (one) => milliseconds(one.health.ttft_ms_p50), align: "right" },
  { title: "LAST ERROR", value: ({ health }) => lastError(health.last_error) },
  { title: "IN FLIGHT", value: (one) => count(one.in_flight), align: "right" },
  { title: "BUCKETS", value: (one) => list(one.buckets), wraps: true }
]

const lastError = (error: ShownDeployment["health"]["last_error"]): string =>
  error === null ? orNothing(null) : `${orNothing(error.class)}, ${time(error.at)} UTC`

/** Below the table, how the keys fare where there are several, or one that is not ready, by their places in the configuration. */
export const deploymentTable = (deployments: ReadonlyArray<ShownDeployment>): string =>
  [table(columns, deployments), ...deployments.filter(hasKeysToShow).map(keyLine)].join("\n")

const hasKeysToShow = ({ keys }: ShownDeployment): boolean =>
  keys.length > 1 || keys.some(({ state }) => state !== "ready")

const keyLine = ({ id, keys }: ShownDeployment): string => {
  const states = keys.map(({ index, state, until }) => {
    const name = `api_key[${index}] ${orNothing(state.replaceAll("_", " "))}`
    return until === null ? name : `${name} until ${orNothing(until)}`
  })
  return `${orNothing(id)}: ${states.join(", ")}`
}
