/** Agents with a command line: each run has a home and a working folder of its own, and reaches nothing but the gateway. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Duration, Effect } from "effect"
import { usage } from "../../packages/gateway/test/support/Upstream.ts"
import type { Room } from "./Client.ts"
import { type Gateway, gatewayOf, spendOf } from "./Gateways.ts"
import { environment } from "./Install.ts"
import { type ScriptedModel, scriptedModel, type Step } from "./ScriptedModel.ts"

/** USD for a million tokens of the scripted model. */
const PRICE = 1
const LONGEST: Duration.Input = "2 minutes"

export interface Agent {
  /** Run one after the other; each begins with a path below the client's folder. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  readonly env: Readonly<Record<string, string>>
  /** Written into the home folder first, by path. */
  readonly home?: Readonly<Record<string, string>>
}

export interface AgentRun {
  readonly model: ScriptedModel
  /** Its working folder. */
  readonly folder: string
  /** The JSON lines of its output. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each client has its own
  readonly events: ReadonlyArray<any>
  /** All that it wrote to stdout. */
  readonly output: string
}

/** A picture of the letter A, and a server of the Model Context Protocol. */
const given = join(import.meta.dirname, "programs", "agents")

export interface Task {
  /** What the agent calls the model. */
  readonly name: string
  readonly script: ReadonlyArray<Step>
  /** The protocol and the operation of a provider that the gateway needs no bridge to; left out: chat alone. */
  readonly native?: { readonly protocol: string; readonly operation: string } | undefined
}

/**
 * Runs the agent on a gateway whose only model follows the script. `programs/agents` is its working folder. Dies when it does not end
 * as the script does, or when anything else was booked than the model's calls.
 */
export const runAgent = Effect.fnUntraced(function* (
  room: Room,
  { name, native, script }: Task,
  agentFor: (gateway: Gateway) => Agent
) {
  const isBroken = script.some((step) => "breaksOff" in step)
  const refused = script.filter((step) => "tooLong" in step).length
  const model = yield* scriptedModel(script)
  const scratch = join(room.scratch, String(runs++))
  const folder = workingFolder(scratch)
  const server = { protocol: "openai-chat", operation: "chat", url: model.baseUrl, key: "none" }
  const bridging = yield* gatewayOf(scratch, configuration(name, server))
  const gateway =
    native === undefined
      ? bridging
      : yield* gatewayOf(
          join(scratch, "native"),
          configuration(name, { ...native, url: `${bridging.url}/v1`, key: bridging.key })
        )
  const { endings, events, output } = yield* execute(room, scratch, agentFor(gateway))
  for (const { code, stderr, stdout } of endings) {
    if ((code === 0) === isBroken || model.refusals.length > 0) {
      const ending = `It ended with ${code}. The model refused: ${model.refusals.join("; ")}`
      return yield* Effect.die(new Error([ending, stdout.slice(-2_000), stderr.slice(-2_000)].join("\n")))
    }
  }
  const { cost_usd, requests } = yield* spendOf(gateway)
  // What broke off costs what it is estimated at.
  if (isBroken) return { model, folder, events, output } satisfies AgentRun as AgentRun
  assert.equal(requests, model.asked.length)
  const expected = ((requests - refused) * usage.total_tokens * PRICE) / 1e6
  assert.equal(cost_usd.toFixed(9), expected.toFixed(9))
  return { model, folder, events, output } satisfies AgentRun as AgentRun
})

let runs = 0

/** Where `execute` runs the agent. */
export const workingFolder = (scratch: string): string => join(scratch, "work")

/** Runs the agent's commands, each after the other, whatever they end with, in a working folder that holds `programs/agents`. */
export const execute = Effect.fnUntraced(function* (room: Room, scratch: string, agent: Agent, longest = LONGEST) {
  const folder = workingFolder(scratch)
  cpSync(given, folder, { recursive: true })
  const home = join(scratch, "home")
  mkdirSync(home)
  for (const [path, text] of Object.entries(agent.home ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const { LANG = "C.UTF-8", PATH = "" } = environment()
  const env = { PATH, LANG, HOME: home, ...agent.env }
  const endings: Array<Ended> = []
  for (const [program = "", ...args] of agent.commands) {
    endings.push(yield* ended(join(room.folder, program), args, folder, env, longest))
  }
  const output = endings.map(({ stdout }) => stdout).join("")
  const events = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
  return { endings, events, output }
})

interface Server {
  readonly protocol: string
  readonly operation: string
  readonly url: string
  readonly key: string
}

/** One deployment, with a price. The agent's name for it is the server's as well. */
const configuration = (name: string, { key, operation, protocol, url }: Server): string => `
providers: { scripted: { protocol: ${protocol}, base_url: "${url}", api_key: "${key}" } }
deployments:
  - provider: scripted
    model: claude-m
    operations: [${operation}]
    price: { input: ${PRICE}, output: ${PRICE} }
    context_window: 1000000
    bounds: { reasoning_tokens: 0 }
models: { "${name}": [scripted/claude-m], "claude-m*": [scripted/claude-m] }
`

interface Ended {
  readonly code: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const ended = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>,
  longest: Duration.Input
) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text))
    child.once("error", ({ message }) => resume(Effect.succeed({ ...output, code: null, stderr: message })))
    child.once("close", (code, signal) => resume(Effect.succeed({ ...output, code: code ?? signal })))
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutOrElse({
      duration: longest,
      orElse: () => Effect.die(new Error(`It took longer than ${Duration.format(Duration.fromInputUnsafe(longest))}.`))
    })
  )
