import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { nano } from "./support/Gateway.ts"
import { useGateway } from "./support/UseGateway.ts"

const gateway = useGateway()

it("the example's agent uses its tools, says who served each step, and its sum is the ledger's", async () => {
  const { apiKey, baseUrl, id } = await gateway().client()
  const example = join(import.meta.dirname, "..", "examples", "agent.ts")
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=model-gateway-source", example, "What is 23 times 7? Multiply them."],
    { env: { ...process.env, GATEWAY_API_KEY: apiKey, GATEWAY_BASE_URL: baseUrl } }
  )
  assert.match(stdout, /^step 1: demo\/\w+ \(\w+\), 0\.\d+ USD, calls multiply$/m)
  assert.match(stdout, /^step 2: demo\/\w+ \(\w+\), 0\.\d+ USD$/m)
  assert.include(stdout, "161")
  const cost = Number(/the run cost ([\d.]+) USD/.exec(stdout)?.[1])
  assert.strictEqual(nano(cost), nano(await gateway().spent(id)))
  assert.lengthOf(await gateway().ledger(id), 2)
}, 60_000)
