/** Agents with a command line: each run has a home and a working folder of its own, and reaches nothing but the gateway. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { Room } from "./Client.ts"
import { environment } from "./Install.ts"
import { type Gateway, gatewayOf, spendOf } from "./Gateways.ts"
import { usage } from "../../packages/gateway/test/support/Upstream.ts"
import { type ScriptedModel, scriptedModel, type Step } from "./ScriptedModel.ts"

/** USD for a million tokens of the scripted model. */
const PRICE = 1
const LONGEST = "2 minutes"

export interface Agent {
  /** Below the client's folder. */
  readonly command: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Written into the home folder first, by path. */
  readonly files?: Readonly<Record<string, string>>
}

export interface AgentRun {
  readonly model: ScriptedModel
  /** Its working folder. */
  readonly folder: string
  readonly stdout: string
  /** JSON lines of its output; other lines are left out. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each client has its own
  readonly events: ReadonlyArray<any>
}

/**
 * Runs the agent on a gateway whose only model follows the script; `names`: what the agent calls that model. Dies when it does not end
 * well, or when anything else was booked than the model's calls.
 */
export const runAgent = Effect.fnUntraced(function* (
  room: Room,
  { names, script }: { readonly names: ReadonlyArray<string>; readonly script: ReadonlyArray<Step> },
  agentFor: (gateway: Gateway) => Agent
) {
  const model = yield* scriptedModel(script)
  const scratch = join(room.scratch, String(runs++))
  const home = join(scratch, "home")
  const folder = join(scratch, "work")
  for (const made of [home, folder]) mkdirSync(made, { recursive: true })
  const gateway = yield* gatewayOf(
    scratch,
    `providers: { scripted: { protocol: openai-chat, base_url: "${model.baseUrl}", api_key: none } }
deployments: [{ provider: scripted, model: m, price: { input: ${PRICE}, output: ${PRICE} }, context_window: 1000000, bounds: { reasoning_tokens: 0 } }]
models: { ${names.map((name) => `${name}: [scripted/m]`).join(", ")} }
`
  )
  const { command, env, files = {} } = agentFor(gateway)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const [program = "", ...args] = command
  const { code, stderr, stdout } = yield* ended(join(room.folder, program), args, folder, {
    ...Object.fromEntries(Object.entries(environment()).filter(([name]) => name === "PATH" || name === "LANG")),
    HOME: home,
    ...env
  })
  if (code !== 0) {
    const asked = model.asked.map(({ body }) => JSON.stringify(body).slice(-1_000)).join("\n")
    return yield* Effect.die(
      new Error(
        `It ended with ${code}.\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}\nThe model was asked ${model.asked.length} times:\n${asked}`
      )
    )
  }
  const events = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
  const { cost_usd, requests } = yield* spendOf(gateway)
  assert.equal(requests, model.asked.length)
  assert.equal(cost_usd.toFixed(9), ((requests * usage.total_tokens * PRICE) / 1e6).toFixed(9))
  return { model, folder, stdout, events } satisfies AgentRun as AgentRun
})

let runs = 0

interface Ended {
  readonly code: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const ended = (program: string, args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text))
    child.once("error", ({ message }) => resume(Effect.succeed({ ...output, code: null, stderr: message })))
    child.once("close", (code, signal) => resume(Effect.succeed({ ...output, code: code ?? signal })))
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutOrElse({ duration: LONGEST, orElse: () => Effect.die(new Error(`It took longer than ${LONGEST}.`)) })
  )
