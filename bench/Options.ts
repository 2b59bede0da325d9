/** Options that some benches have: `npm run bench` gives all of them the same, so that each takes those of the others. */
import type { ParseArgsOptionsConfig } from "node:util"

const names = [
  "rounds",
  "seconds",
  "folder",
  "gateway",
  "against",
  "cpu-prof",
  "core",
  "keys",
  "deployments",
  "rows",
  "recent",
  "callers",
  "data",
  "requests",
  "receipts",
  "peers",
  "users",
  "active"
]

export const othersOptions: ParseArgsOptionsConfig = Object.fromEntries(
  names.map((name) => [name, { type: "string" as const }])
)
