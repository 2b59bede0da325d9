/**
 * Portkey's open-source gateway, from npm. It has no keys, limits, budgets or books of its own: a request names its provider and brings
 * that provider's key. https://github.com/Portkey-AI/gateway/blob/main/docs/installation-deployments.md and
 * https://portkey.ai/docs/product/ai-gateway/custom-hosts, both read 2026-11-23.
 */
import { join } from "node:path"
import { install, npm } from "../../scripts/acceptance/Install.ts"
import { freePort } from "../../scripts/postgres/Server.ts"
import { ServerProcess } from "../ServerProcess.ts"
import type { Peer } from "./Peer.ts"

/** https://www.npmjs.com/package/@portkey-ai/gateway, read 2026-11-23. */
const VERSION = "1.15.2"
/**
 * With the versions that npm would choose today it answers streams with 500 (https://github.com/Portkey-AI/gateway/issues/1389). This is the
 * one that it is built with (…/issues/1604), which does not run on Node 24; both read 2026-11-23.
 */
const SERVER = "1.13.5"
const NODE = "22.23.3"

export const portkey: Peer = {
  name: "Portkey",
  setUp:
    `\`@portkey-ai/gateway\` ${VERSION} with \`@hono/node-server\` ${SERVER} on Node ${NODE}, \`NODE_ENV=production\`, \`--headless\`; the provider in the ` +
    "headers of the request. One process; no keys, limits, budgets or books",
  prepare: async (upstream, folder) => {
    const pins = { "@portkey-ai/gateway": VERSION, node: NODE }
    const installation = npm(pins, { overrides: { "@hono/node-server": SERVER }, scripts: ["node"] })
    const packages = join(await install("portkey", installation), "node_modules")
    const entry = join(packages, "@portkey-ai", "gateway", "build", "start-server.js")
    return {
      key: "upstream",
      headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream}/v1` },
      start: async () => {
        const port = await freePort()
        return ServerProcess.startAt("Portkey", port, {
          program: join(packages, "node", "bin", "node"),
          args: [entry, `--port=${port}`, "--headless"],
          env: { HOME: folder, NODE_ENV: "production" }
        })
      }
    }
  }
}
