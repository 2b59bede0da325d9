/**
 * `npm run acceptance:deploy [-- --only TEXT]`: what the gateway is deployed with, through the programs that read it. One line per check, a
 * line with the reason for each part that this machine can't do, then `N passed, N failed`; exit code 1 when one failed.
 */
import { parseArgs } from "node:util"
import { chartPart, schemaPart } from "./ChartPart.ts"
import { clusterPart } from "./ClusterPart.ts"
import { imagePart } from "./ImagePart.ts"
import { Part, Skipped } from "./Parts.ts"
import { caddyPart, nginxPart, traefikPart } from "./ProxyParts.ts"
import { systemdPart } from "./SystemdPart.ts"

const parts: Readonly<Record<string, (part: Part) => Promise<void>>> = {
  chart: chartPart,
  kubernetes: schemaPart,
  systemd: systemdPart,
  nginx: nginxPart,
  cluster: clusterPart,
  caddy: caddyPart,
  traefik: traefikPart,
  image: imagePart
}

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
const chosen = Object.entries(parts).filter(([name]) => name.includes(values.only))
if (chosen.length === 0) {
  console.error(`no part is called ${values.only}; there are: ${Object.keys(parts).join(", ")}`)
  process.exit(2)
}

let passed = 0
let failed = 0
for (const [name, play] of chosen) {
  const part = new Part(name)
  try {
    await play(part)
  } catch (error) {
    if (error instanceof Skipped) console.log(`skipped ${name}: ${error.message}`)
    else
      await part.check("runs to its end", () =>
        error instanceof Error ? (error.stack ?? error.message) : "it broke off"
      )
  }
  passed += part.passed
  failed += part.failed
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
