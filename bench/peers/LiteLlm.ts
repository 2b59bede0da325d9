/**
 * LiteLLM's proxy, from PyPI, as https://docs.litellm.ai/docs/proxy/prod says for production on one machine: a worker for each core,
 * `LITELLM_MODE=PRODUCTION`, logs of errors alone, as JSON, no database errors in the database, spend written once a minute (read 2026-11-23).
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { install, pip } from "../../scripts/acceptance/Install.ts"
import { freePort } from "../../scripts/postgres/Server.ts"
import { ServerProcess } from "../ServerProcess.ts"
import { MODEL, PRICE } from "../Workload.ts"
import type { Peer } from "./Peer.ts"

/** https://pypi.org/project/litellm/, read 2026-11-23. */
const VERSION = "1.104.5"

const configuration = (upstream: string) => ({
  model_list: [
    {
      model_name: MODEL,
      litellm_params: {
        model: "openai/gpt-4.1",
        api_base: `${upstream}/v1`,
        api_key: "upstream",
        input_cost_per_token: PRICE.input / 1e6,
        output_cost_per_token: PRICE.output / 1e6
      }
    }
  ],
  general_settings: { proxy_batch_write_at: 60, database_connection_pool_limit: 10, disable_error_logs: true },
  litellm_settings: { request_timeout: 600, set_verbose: false, json_logs: true }
})

export const liteLlm: Peer = {
  name: "LiteLLM",
  setUp:
    `\`litellm[proxy]\` ${VERSION}, ${availableParallelism()} workers, \`LITELLM_MODE=PRODUCTION\`, \`LITELLM_LOG=ERROR\`, a price for the ` +
    "model, a master key, no database: it has neither keys nor budgets then",
  prepare: async (upstream, folder) => {
    const installed = await install("litellm", pip(`litellm[proxy]==${VERSION}`))
    const config = join(folder, "litellm.yaml")
    const key = `sk-${randomBytes(24).toString("hex")}`
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(configuration(upstream)))
    return {
      key,
      start: async () => {
        const port = await freePort()
        const workers = String(availableParallelism())
        const where = ["--config", config, "--host", "127.0.0.1", "--port", String(port)]
        return ServerProcess.startAt("LiteLLM", port, {
          program: join(installed, "bin", "litellm"),
          // A worker that is busy for five seconds would be killed, where a machine has much to do.
          args: [...where, "--num_workers", workers, "--timeout_worker_healthcheck", "60"],
          env: {
            HOME: folder,
            LITELLM_MASTER_KEY: key,
            LITELLM_MODE: "PRODUCTION",
            LITELLM_LOG: "ERROR",
            // Its list of prices comes with it; without this it asks a server of other people at its start.
            LITELLM_LOCAL_MODEL_COST_MAP: "True"
          }
        })
      }
    }
  }
}
