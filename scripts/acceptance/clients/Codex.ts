/**
 * Codex speaks Responses alone. It offers its tools in a form that depends on the model's name: functions and a namespace of functions
 * to a model it doesn't know, a custom tool to `gpt-5.5`, and to `gpt-6.1-sol` namespaces within its input.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { runAgent } from "../CommandLine.ts"
import { npm } from "../Install.ts"
import type { Gateway } from "../Gateways.ts"
import type { Step } from "../ScriptedModel.ts"

const version = "0.169.0"

const config = (url: string) => `
model_provider = "gateway"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.gateway]
name = "Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`

const agent =
  (model: string) =>
  ({ key, url }: Gateway) => ({
    command: [
      "node_modules/.bin/codex",
      "exec",
      "--skip-git-repo-check",
      "-s",
      "danger-full-access",
      "--json",
      "-m",
      model,
      "Do it."
    ],
    env: { GATEWAY_KEY: key },
    files: { ".codex/config.toml": config(url) }
  })

interface Loop {
  readonly part: string
  readonly name: string
  readonly model: string
  readonly steps: ReadonlyArray<Step>
}

const patch = "*** Begin Patch\n*** Add File: made.txt\n+made by the model\n*** End Patch\n"
const shell = { cmd: "echo made by the model > made.txt && cat made.txt" }

/** After each of them there is a file, and the model has seen as many results as it called tools. */
const loops: ReadonlyArray<Loop> = [
  {
    part: "functions",
    name: "a tool loop with a function and a function of a namespace",
    model: "auto-coder",
    steps: [
      { call: "exec_command", with: shell },
      { call: "close_agent", with: { target: "nobody" } }
    ]
  },
  {
    part: "custom",
    name: "a tool loop with a custom tool (apply_patch)",
    model: "gpt-5.5",
    steps: [{ call: "apply_patch", with: patch }]
  },
  {
    part: "additional",
    name: "a tool loop with a custom tool in a namespace of additional_tools",
    model: "gpt-6.1-sol",
    steps: [
      { call: "exec", with: `text((await tools.exec_command(${JSON.stringify(shell)})).output)` },
      { call: "list_agents", with: {} }
    ]
  }
]

export const codex: Client = {
  name: "codex",
  version,
  needs: ["node"],
  install: npm({ "@openai/codex": version }),
  parts: loops.map(({ part }) => part),
  run: Effect.fnUntraced(function* (room) {
    for (const { model: name, name: check, part, steps } of loops) {
      if (!room.parts.includes(part)) continue
      yield* room.checks.check(
        check,
        Effect.gen(function* () {
          const script = [...steps, { say: "It is made." }]
          const { events, folder, model } = yield* runAgent(room, { names: [name], script }, agent(name))
          assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "made by the model\n")
          const results = model.results()
          assert.equal(results.length, steps.length)
          assert.equal(model.thoughts(), steps.length)
          for (const result of results) assert.doesNotMatch(result, /unsupported|unrecognized/i)
          const said = events.filter(({ item, type }) => type === "item.completed" && item.type === "agent_message")
          assert.deepEqual(
            said.map(({ item }) => item.text),
            ["It is made."]
          )
          const { usage } = events.find(({ type }) => type === "turn.completed")
          assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage))
        }).pipe(Effect.scoped)
      )
    }
  })
}
