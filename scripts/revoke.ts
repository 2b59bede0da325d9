/** Revokes keys, or demotes a person, at one of several gateways while all are asked. Exit code 1 when one was admitted after that. */
import { Effect } from "effect"
import { person, quantile, revokeRun } from "../packages/gateway/test/acceptance/RevokeRun.ts"
import { commandLine, whole } from "./CommandLine.ts"
import { topologyOf } from "./Topology.ts"

const help = `Revokes keys at one of several gateways on one Postgres while callers ask all of them, and looks for a request that was admitted
after DELETE had returned. In some tries one of the gateways is frozen (SIGSTOP) meanwhile, and goes on when DELETE has returned.
With --people, a person who signed in with an identity provider loses the role in each try instead.

npm run revoke -- [--people] [--nodes N] [--tries N] [--frozen N]

--nodes N   so many gateways; Postgres is started for this (3)
--tries N   so many keys (200)
--people    demote a person instead of revoking keys
--frozen N  in so many tries a gateway is frozen (a twentieth of them)`

const values = commandLine(help, {
  nodes: { type: "string", default: "3" },
  tries: { type: "string", default: "200" },
  people: { type: "boolean", default: false },
  frozen: { type: "string" }
})
const nodes = whole("nodes", values.nodes, 2)
const tries = whole("tries", values.tries, 1)
const frozen = Math.min(tries, whole("frozen", values.frozen ?? String(Math.ceil(tries / 20)), 0))
const topology = await topologyOf({ nodes: String(nodes) })
if (topology === "file") throw new Error("revocation over several gateways needs Postgres")

const report = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const rights = values.people ? { rights: yield* person } : {}
      const onTry = (line: string) => console.log(line)
      return yield* revokeRun({ ...rights, tries, frozen, topology: { ...topology, lease: "3s" }, onTry })
    })
  )
)
for (const problem of report.problems) console.log(`FAIL ${problem}`)
const { admitted, answering, late, withFrozen } = report
const times = (values: ReadonlyArray<number>) =>
  `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`
console.log(
  `${tries} ${values.people ? "demotions" : "keys revoked"} at one of ${nodes} gateways: ${admitted} of ${late} requests were admitted after the call had returned`
)
if (answering.length > 0) console.log(`in force at all of them, none frozen: ${times(answering)}`)
if (withFrozen.length > 0) console.log(`with one frozen, whose lease of 3 s is waited for: ${times(withFrozen)}`)
process.exitCode = report.problems.length === 0 ? 0 : 1
