/**
 * `npm run acceptance:langchain`: the packed package in projects of its users, on every Node that it promises to work on, against the
 * gateway from the sources. Agents of `langchain` (with tools, with answers of a schema, streamed) must have seen exactly what the
 * gateway booked. One line per check, then `N passed, N failed`; exit code 1 when one failed.
 *
 * The projects are made on the first run, from lock files of their own, under `node_modules/.cache`. Nothing is checked, and a line says
 * so, where the registry is out of reach.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual, promisify } from "node:util"
import { Gateway } from "../test/support/Gateway.ts"
import { demoYaml, startProcess } from "../test/support/GatewayProcess.ts"
import { addPackage, addPrograms, environment, install, NotInstallable, pack } from "./Install.ts"
import { agents, exportedNames } from "./Programs.ts"

const run = promisify(execFile)
const count = { passed: 0, failed: 0 }

const check = async (name: string, test: () => Promise<string | undefined>): Promise<void> => {
  const problem = await test().catch((error: Error) => error.message)
  console.log(problem === undefined ? `ok   ${name}` : `FAIL ${name}: ${problem}`)
  count[problem === undefined ? "passed" : "failed"]++
}

const checkProject = async (label: string, folder: string, nodes: ReadonlyArray<string>, gateway: Gateway) => {
  for (const node of nodes) {
    const { stdout } = await run(node, ["--version"])
    const place = `${label}, Node ${stdout.trim()}`
    await check(`${place}: import and require`, async () => {
      const { imported, required } = await exportedNames(folder, node)
      return imported.length > 0 && isDeepStrictEqual(imported, required) ? undefined : `${imported} but ${required}`
    })
    await check(`${place}: agents saw what the gateway booked`, async () => {
      const differing = (await agents(gateway, folder, node)).filter(
        ({ booked, told }) => !isDeepStrictEqual(booked, told) || told.byHand !== told.total || told.total === 0
      )
      return differing.length === 0 ? undefined : JSON.stringify(differing)
    })
  }
}

const acceptance = async (scratch: string, gateway: Gateway): Promise<void> => {
  const nodes = await install("nodes")
  const all = [
    ...["node20", "node22"].map((name) => join(nodes, "node_modules", name, "bin", "node")),
    process.execPath
  ]
  const archive = await pack(scratch)
  for (const name of ["core-1.2", "core-1.4"] as const) {
    const folder = await install(name)
    await addPackage(folder, archive)
    await checkProject(`@langchain/${name}`, folder, all, gateway)
  }
  await check("npm install of the archive in an empty folder brings the peer along, and both work", async () => {
    const folder = join(scratch, "empty")
    mkdirSync(folder)
    await run("npm", ["install", "--no-audit", "--no-fund", archive], { cwd: folder, env: environment() })
    addPrograms(folder)
    const { imported, required } = await exportedNames(folder, process.execPath)
    return isDeepStrictEqual(imported, required) ? undefined : `${imported} but ${required}`
  })
}

const scratch = mkdtempSync(join(tmpdir(), "model-gateway-langchain-acceptance-"))
const running = await startProcess(demoYaml)
try {
  await acceptance(scratch, new Gateway(running))
  console.log(`${count.passed} passed, ${count.failed} failed`)
} catch (error) {
  if (!(error instanceof NotInstallable)) throw error
  console.log(`skipped: ${error.message}`)
} finally {
  await running.stop()
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = count.failed === 0 ? 0 : 1
