/**
 * A run over clients. `--only TEXT` chooses some, or parts of them (`openai-node/audio`), by a piece of their name. Each is installed
 * once, under `node_modules/.cache`. One that needs what this machine lacks is skipped, and a line says so.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { Checks } from "./Checks.ts"
import type { Client } from "./Client.ts"
import { install, NotInstallable } from "./Install.ts"
import { lacking } from "./Needs.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-acceptance-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const starts = (folder: string, { starts: [program, ...args] = [] }: Client): boolean =>
  program === undefined || spawnSync(join(folder, program), args, { stdio: "ignore", timeout: 60_000 }).status === 0

const tryClient = Effect.fnUntraced(function* (client: Client, parts: ReadonlyArray<string>) {
  const checks = new Checks(`${client.name} ${client.version}`)
  const skipped = (why: string) => console.log(`skipped ${client.name} ${client.version}: ${why}`)
  const lacks = lacking(client.needs)
  if (lacks.length > 0) {
    skipped(`this machine has no ${lacks.join(", no ")}`)
    return checks
  }
  const folder = yield* Effect.promise(() => install(client.name, client.install).catch((error: Error) => error))
  if (folder instanceof NotInstallable) skipped(`it can't be installed: ${folder.message}`)
  else if (folder instanceof Error) checks.fail("can be installed", folder.message)
  else if (!starts(folder, client)) {
    skipped(`its package has no program that runs on ${process.platform} ${process.arch}`)
  } else {
    const room = { folder, scratch: yield* temporaryFolder, parts, checks }
    yield* Effect.catchTag(client.run(room), "DidNotStart", ({ message }) =>
      Effect.sync(() => checks.fail("the gateway starts", message))
    )
  }
  return checks
}, Effect.scoped)

/** Those that the command line chooses: a line for each check, and what they add up to. Sets the exit code. */
export const runClients = async (clients: ReadonlyArray<Client>): Promise<void> => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
  const chosen = clients.flatMap((client) => {
    const parts = client.parts.filter((part) => `${client.name}/${part}`.includes(values.only))
    return parts.length === 0 ? [] : [{ client, parts }]
  })
  if (chosen.length === 0) {
    const names = clients.flatMap(({ name, parts }) => parts.map((part) => `${name}/${part}`))
    console.error(`no client is called ${values.only}; there are: ${names.join(", ")}`)
    process.exit(2)
  }
  const count = { passed: 0, failed: 0 }
  for (const { client, parts } of chosen) {
    const { failed, passed } = await Effect.runPromise(tryClient(client, parts))
    count.passed += passed
    count.failed += failed
  }
  console.log(`${count.passed} passed, ${count.failed} failed`)
  process.exitCode = count.failed === 0 ? 0 : 1
}
