/**
 * Tries to spend more than a budget has, in three ways.
 *
 * Storms: far more requests at once than there is room for, through the port of a gateway in its own process, with SQLite on disk and
 * a provider in its own process that answers only when every request has been decided. Exactly those that fit are admitted, and
 * nothing is overspent, left held or booked wrong. Every connection is open before the first request is sent.
 *
 * Priced storms: the same in memory, at prices of the model catalogue that a simple sum gets wrong: long caches, tiers, a price that rises
 * during the calls, models that their vendor answers with another one.
 *
 * The adversary: callers who send whatever may cost more than it looks, and hang up when it suits them, against a scripted provider
 * that bills by its vendor's published rules (`packages/gateway/test/acceptance/adversary`).
 *
 * Exit code 1 when anything is wrong.
 */
import { attack } from "./overspend/attack.ts"
import { pricedStorms } from "./overspend/priced.ts"
import { storms } from "./overspend/storms.ts"
import { commandLine, whole } from "./CommandLine.ts"
import { topologyHelp, topologyOf, topologyOptions } from "./Topology.ts"

const help = `Tries to spend more than a budget has: by storms of requests at once, and by callers who send whatever may cost more than it looks.

npm run overspend -- [--requests N] [--room N] [--nodes N]
npm run overspend -- --adversary [--runs N] [--seed N]
npm run overspend -- --guardrails [--runs N] [--seed N]

--requests N  so many at once in each storm (10000)
--room N      so many of them fit into the budget (three tenths)
${topologyHelp}
--adversary   the adversary alone; else the storms come first, and a short adversary after them
--guardrails  the adversary alone, with guardrails that mask requests and responses and make them longer
--runs N      runs of the adversary (1000; 50 after storms)
--seed N      of the first run; --seed S --runs 1 plays one again (1)`

const values = commandLine(help, {
  ...topologyOptions,
  requests: { type: "string", default: "10000" },
  room: { type: "string" },
  adversary: { type: "boolean", default: false },
  guardrails: { type: "boolean", default: false },
  runs: { type: "string" },
  seed: { type: "string", default: "1" }
})

const isAdversary = values.adversary || values.guardrails
const seed = whole("seed", values.seed, 0)
const runs = whole("runs", values.runs ?? (isAdversary ? "1000" : "50"), 1)
const requests = whole("requests", values.requests, 6)
const room = whole("room", values.room ?? String(Math.floor(requests * 0.3)), 5)
if (room >= requests) {
  console.error("--room must be below --requests")
  process.exit(2)
}

const isCalm = isAdversary || ((await storms(requests, room, await topologyOf(values))) && (await pricedStorms()))
const isBounded = await attack(runs, seed, values.guardrails)
process.exitCode = isCalm && isBounded ? 0 : 1
