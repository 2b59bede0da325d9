/**
 * The programs that samples call: `model-gateway`, `npm run gateway --` and `npx model-gateway` are the command line, run in this process,
 * which saves a second for each. Everything else that npm could do is done only here: not at all, with a reason.
 */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { invoke } from "../../../../model-gateway/test/Invoke.ts"
import type { Ran } from "../../../../model-gateway/test/Support.ts"
import { commandsNotRun } from "./NotRun.ts"

interface Called {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

export interface Commands {
  /** A folder that is all of the PATH. */
  readonly path: string
  readonly url: string
  /** Excuses that were needed. */
  readonly excused: ReadonlySet<string>
}

const PROGRAMS = ["model-gateway", "npm", "npx", "psql"]

/** The machine's own programs that samples may call. Any other is not found: nobody's sample changes this machine. */
const HARMLESS = ["cat", "curl", "head", "sh", "sleep", "tr"]

/** `npm run -s gateway -- keys list` → `keys list`; undefined: something else. */
const argumentsOf = ({ args, program }: Called): ReadonlyArray<string> | undefined => {
  if (program === "model-gateway") return args
  if (program === "npx") return args[0] === "model-gateway" ? args.slice(1) : undefined
  if (program !== "npm") return undefined
  const [run, script, ...rest] = args.filter((arg) => arg !== "-s")
  if (run !== "run" || script !== "gateway") return undefined
  return rest[0] === "--" ? rest.slice(1) : rest
}

/** One at a time, in all of this process: the folder is the process's. */
let last: Promise<unknown> = Promise.resolve()

/** Answers until the scope closes. */
export const commandsIn = Effect.fnUntraced(function* (folder: string) {
  const excused = new Set<string>()
  // The folder is gone afterwards, and other tests run in this process.
  const before = process.cwd()
  yield* Effect.addFinalizer(() => Effect.sync(() => process.chdir(before)))
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
  const answer = (called: Called): Effect.Effect<Ran> => {
    const line = [called.program, ...called.args].join(" ")
    const excuse = commandsNotRun.find(({ what }) => what.test(line))
    if (excuse !== undefined) {
      excused.add(String(excuse.what))
      return Effect.succeed({ code: 0, stdout: "", stderr: "" })
    }
    const args = argumentsOf(called)
    if (args === undefined) return Effect.succeed({ code: 97, stdout: "", stderr: `${line}: no test does this` })
    return Effect.suspend(() => {
      process.chdir(called.folder)
      return invoke(args, called.environment)
    })
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        request.on("end", () => {
          last = last.then(async () => response.end(JSON.stringify(await runPromise(answer(JSON.parse(text))))))
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  const path = join(folder, "bin")
  mkdirSync(path)
  for (const program of PROGRAMS) {
    const file = join(path, program)
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, "shim.mjs")}" "$0" "$@"\n`)
    chmodSync(file, 0o755)
  }
  for (const program of HARMLESS) {
    const found = (process.env["PATH"] ?? "").split(delimiter).map((at) => join(at, program))
    const file = found.find((file) => existsSync(file))
    if (file !== undefined) symlinkSync(file, join(path, program))
  }
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { path, url: `http://127.0.0.1:${port}/`, excused } satisfies Commands as Commands
})
