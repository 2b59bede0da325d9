/** Programs that use a client library. They print a line per check: `ok NAME`, or `FAIL NAME` with indented lines of why. */
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import type { Checks } from "./Checks.ts"
import type { Room } from "./Client.ts"
import { environment } from "./Install.ts"
import { demoGateway, type Gateway, gatewayOf } from "./Gateways.ts"

const programs = join(import.meta.dirname, "programs")
const LONGEST = "3 minutes"

/** The names of the files in one of `programs`' folders: its parts. `main` and those that begin with `_` are for the others. */
export const partsOf = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(join(programs, folder))
    .filter((name) => name.endsWith(ending) && !/^(_|main\.)/.test(name))
    .map((name) => name.slice(0, -ending.length))
    .sort()

/** The part that meets streams which break off: the demo has no such model. */
const BROKEN = "broken"
const broken = `
providers: { demo: { vendor: demo } }
deployments: [demo/cut-6]
failover: { attempts: 1, base_delay: 1ms }
`

/** Runs against the demo gateway. `command` gets the parts as its last arguments. */
const onDemo = (command: (room: Room) => ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (room: Room) {
    const parts = room.parts.filter((part) => part !== BROKEN)
    if (parts.length > 0) yield* runProgram([...command(room), ...parts], room, yield* demoGateway(room.scratch))
    if (parts.length === room.parts.length) return
    yield* runProgram([...command(room), BROKEN], room, yield* gatewayOf(room.scratch, broken))
  })

/** A program in JavaScript: `programs/node/run.mjs`, copied beside the client, imports the parts. */
export const nodeProgram = (folder: string) =>
  onDemo((room) => [process.execPath, join(room.folder, "programs", "node", "run.mjs"), folder])

/** A program in Python: `programs/python/run.py` imports the parts. */
export const pythonProgram = (folder: string) =>
  onDemo((room) => [join(room.folder, "bin", "python"), join(programs, "python", "run.py"), join(programs, folder)])

/** A program in Go that `goProgram` has built. */
export const builtProgram = onDemo((room) => [join(room.folder, "program")])

const runProgram = (command: ReadonlyArray<string>, { checks, scratch }: Room, gateway: Gateway) =>
  Effect.scoped(
    Effect.gen(function* () {
      const [program = "", ...args] = command
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(program, args, {
            cwd: scratch,
            stdio: ["ignore", "pipe", "inherit"],
            env: {
              ...environment(),
              GATEWAY_URL: gateway.url,
              GATEWAY_KEY: gateway.key,
              GATEWAY_MASTER_KEY: gateway.masterKey,
              NO_PROXY: "127.0.0.1",
              PYTHONDONTWRITEBYTECODE: "1",
              PYTHONUNBUFFERED: "1"
            }
          })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const ended = new Promise<string>((resolve) => {
        child.once("error", ({ message }) => resolve(message))
        child.once("close", (code, signal) => resolve(code === 0 ? "" : `It ended with ${code ?? signal}.`))
      })
      const reading = readChecks(createInterface({ input: child.stdout }), checks)
      const problem = yield* Effect.promise(async () => {
        const count = await reading
        const ending = await ended
        return ending === "" && count === 0 ? "It checked nothing." : ending
      }).pipe(
        Effect.timeoutOrElse({ duration: LONGEST, orElse: () => Effect.succeed(`It took longer than ${LONGEST}.`) })
      )
      if (problem !== "") checks.fail("runs to its end", problem)
    })
  )

/** Gives back how many there were. */
const readChecks = async (lines: AsyncIterable<string>, checks: Checks): Promise<number> => {
  let failing: { readonly name: string; readonly why: Array<string> } | undefined
  let count = 0
  const report = () => {
    if (failing !== undefined) checks.fail(failing.name, failing.why.join("\n"))
    failing = undefined
  }
  for await (const line of lines) {
    const [, word, name] = /^(ok|FAIL) +(.*)$/.exec(line) ?? []
    if (name === undefined) {
      failing?.why.push(line)
      continue
    }
    report()
    count++
    if (word === "ok") checks.ok(name)
    else failing = { name, why: [] }
  }
  report()
  return count
}
