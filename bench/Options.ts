/** Options that some benches have: `npm run bench` gives all of them the same, so that each takes those of the others. */
import type { ParseArgsOptionsConfig } from "node:util"

const ofText = [
  "rounds",
  "seconds",
  "folder",
  "gateway",
  "cpu-prof",
  "core",
  "keys",
  "deployments",
  "rows",
  "callers",
  "data"
]
const more = ["requests", "receipts", "at", "at-once", "nodes", "reserve", "peers"]
const yesOrNo = ["keep", "dashboard", "threads", "survivors", "functions"]

export const othersOptions: ParseArgsOptionsConfig = Object.fromEntries([
  ...[...ofText, ...more].map((name) => [name, { type: "string" as const }]),
  ...yesOrNo.map((name) => [name, { type: "boolean" as const }])
])
