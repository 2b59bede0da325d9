/**
 * Other people's clients, from their registries and unchanged, against the gateway as its users start it. One line per check, then
 * `N passed, N failed`; exit code 1 when one failed.
 *
 *   npm run acceptance -- [--only TEXT]
 */
import { clients } from "./Clients.ts"
import { runClients } from "./TryClients.ts"

await runClients(clients)
