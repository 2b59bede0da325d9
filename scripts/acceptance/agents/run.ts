/**
 * Coding agents, from their registry and unchanged, work through the gateway for vendors that refuse what the real ones refuse. One line
 * per journey, then `N passed, N failed`; exit code 1 when one failed.
 *
 *   npm run acceptance:agents -- [--only TEXT]
 */
import { runClients } from "../TryClients.ts"
import { agents } from "./Agents.ts"

await runClients(agents)
