/**
 * Codex speaks Responses alone. It offers its tools in a form that depends on the model's name: functions and namespaces of functions
 * to a model it doesn't know, a custom tool to `gpt-5.5`, and to `gpt-6.1-sol` namespaces within its input.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { type AgentRun, runAgent } from "../CommandLine.ts"
import type { Gateway } from "../Gateways.ts"
import { npm } from "../Install.ts"
import type { Step } from "../ScriptedModel.ts"

const version = "0.171.0"

const config = (url: string, isSocket: boolean) => `
model_provider = "gateway"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.gateway]
name = "Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
supports_websockets = ${isSocket}
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.weather]
command = "${process.execPath}"
args = ["mcp.mjs"]
default_tools_approval_mode = "approve"
`

const program = "node_modules/.bin/codex"
const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"]

const agent =
  (model: string, { again = [], isSocket = false, more = [] }: Pick<Loop, "again" | "isSocket" | "more">) =>
  ({ key, url }: Gateway) => ({
    commands: [
      [program, "exec", ...flags, "-m", model, "Do it.", ...more],
      ...again.map((prompt) => [program, "exec", "resume", "--last", ...flags, "-m", model, prompt])
    ],
    env: { GATEWAY_KEY: key },
    home: { ".codex/config.toml": config(url, isSocket) }
  })

interface Loop {
  readonly part: string
  readonly name: string
  readonly model: string
  readonly script: ReadonlyArray<Step>
  /** The provider has Responses itself. */
  readonly isNative?: boolean
  /** Codex opens a WebSocket. */
  readonly isSocket?: boolean
  /** Arguments. */
  readonly more?: ReadonlyArray<string>
  /** What is asked next in the same conversation. */
  readonly again?: ReadonlyArray<string>
  readonly check: (run: AgentRun) => void
}

const patch = "*** Begin Patch\n*** Add File: made.txt\n+made by the model\n*** End Patch\n"
const shell = { cmd: "echo made by the model > made.txt && cat made.txt" }
const done = { say: "It is made." }

const isMade = ({ folder }: AgentRun) =>
  assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "made by the model\n")

const seesPicture = ({ model }: AgentRun) =>
  assert.match(JSON.stringify(model.conversation().messages), /"image_url":\{"url":"data:image\/png;base64,/)

const loops: ReadonlyArray<Loop> = [
  {
    part: "native",
    name: "the same tools at a provider that has Responses",
    model: "gpt-6.1-sol",
    isNative: true,
    isSocket: true,
    script: [
      [{ call: "exec", with: `text((await tools.exec_command(${JSON.stringify(shell)})).output)` }],
      [{ call: "list_agents", with: {} }],
      done
    ],
    check: isMade
  },
  {
    part: "functions",
    name: "a tool loop with a function and a function of a namespace",
    model: "auto-coder",
    script: [[{ call: "exec_command", with: shell }], [{ call: "close_agent", with: { target: "nobody" } }], done],
    check: isMade
  },
  {
    part: "custom",
    name: "a tool loop with a custom tool (apply_patch)",
    model: "gpt-5.5",
    script: [[{ call: "apply_patch", with: patch }], done],
    check: isMade
  },
  {
    part: "additional",
    name: "a tool loop with a custom tool in a namespace of additional_tools",
    model: "gpt-6.1-sol",
    script: [
      [{ call: "exec", with: `text((await tools.exec_command(${JSON.stringify(shell)})).output)` }],
      [{ call: "list_agents", with: {} }],
      done
    ],
    check: isMade
  },
  {
    part: "parallel",
    name: "two tools at once, one of them an MCP server's",
    model: "auto-coder",
    script: [
      [
        { call: "exec_command", with: shell },
        { call: "get_weather", with: { city: "Paris" } }
      ],
      done
    ],
    check: (run) => {
      isMade(run)
      assert.match(run.model.results().join(), /It is sunny in Paris/)
    }
  },
  {
    part: "resumed",
    name: "a conversation that is resumed, over WebSockets",
    model: "auto-coder",
    isSocket: true,
    script: [[{ call: "exec_command", with: shell }], { say: "It is begun." }, done],
    again: ["And now?"],
    check: (run) => {
      isMade(run)
      assert.match(JSON.stringify(run.model.conversation().messages), /It is begun\..*And now\?/)
    }
  },
  {
    part: "images",
    name: "a picture that a tool looks at, and one that comes with the prompt",
    model: "gpt-5.5",
    more: ["--image", "picture.png"],
    script: [[{ call: "view_image", with: { path: "picture.png" } }], done],
    check: (run) => {
      seesPicture(run)
      assert.equal(JSON.stringify(run.model.conversation().messages).split("data:image/png").length, 3)
    }
  },
  {
    part: "schema",
    name: "a last message in a JSON schema",
    model: "auto-coder",
    more: ["--output-schema", "verdict.schema.json"],
    script: [{ say: '{"mood":"good"}' }],
    check: ({ model }) => assert.equal(model.conversation().response_format?.type, "json_schema")
  }
]

const broken = "a stream that breaks off is no answer"

export const codex: Client = {
  name: "codex",
  version,
  needs: ["node"],
  install: npm({ "@openai/codex": version }),
  parts: [...loops.map(({ part }) => part), "broken"],
  run: Effect.fnUntraced(function* (room) {
    if (room.parts.includes("broken")) {
      yield* room.checks.check(
        broken,
        Effect.gen(function* () {
          const task = { name: "auto-coder", script: [{ say: "It is", breaksOff: true }] }
          const { events } = yield* runAgent(room, task, agent(task.name, {}))
          assert.match(events.find(({ type }) => type === "turn.failed").error.message, /broke off/)
        }).pipe(Effect.scoped)
      )
    }
    for (const loop of loops.filter(({ part }) => room.parts.includes(part))) {
      const { model: name, script } = loop
      const native = loop.isNative === true ? { protocol: "openai-chat", operation: "responses" } : undefined
      yield* room.checks.check(
        loop.name,
        Effect.gen(function* () {
          const run = yield* runAgent(room, { name, native, script }, agent(name, loop))
          loop.check(run)
          const { events, model } = run
          const uses = script.filter((step) => Array.isArray(step))
          assert.equal(model.results().length, uses.flat().length)
          assert.equal(model.thoughts(), uses.length)
          for (const result of model.results()) assert.doesNotMatch(result, /unsupported|unrecognized/i)
          const said = events.filter(({ item, type }) => type === "item.completed" && item.type === "agent_message")
          assert.deepEqual(
            said.map(({ item }) => item.text),
            script.flatMap((step) => ("say" in step ? [step.say] : []))
          )
          const { usage } = events.find(({ type }) => type === "turn.completed")
          assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage))
        }).pipe(Effect.scoped)
      )
    }
  })
}
