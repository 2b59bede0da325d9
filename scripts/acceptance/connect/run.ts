/**
 * What `model-gateway connect` prints, given to the tool that it is for: the tool, from its registry and unchanged, must read it and get
 * its answer through the gateway. One line per check, then `N passed, N failed`; exit code 1 when one failed.
 *
 *   npm run acceptance:connect -- [--only TEXT]
 */
import { runClients } from "../TryClients.ts"
import { connected } from "./Connected.ts"

await runClients(connected)
