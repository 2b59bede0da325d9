/**
 * Prints what the check finds in the help and in the dashboard, one finding a line: `pending.txt` is its output.
 * `node --conditions=model-gateway-source packages/gateway/test/repository/words/list.ts`
 */
import { findingsIn } from "./Findings.ts"
import { sources } from "./Sources.ts"

for (const source of [...(await sources.help()), ...sources.dashboard()]) {
  for (const finding of findingsIn(source)) process.stdout.write(`${finding.replaceAll(/\s+/g, " ")}\n`)
}
