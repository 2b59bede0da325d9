/** Claude Code speaks Messages, streamed. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { type AgentRun, runAgent } from "../CommandLine.ts"
import type { Gateway } from "../Gateways.ts"
import { npm } from "../Install.ts"
import type { Step } from "../ScriptedModel.ts"

const version = "2.1.332"
const name = "@anthropic-ai/claude-code"

/** It names its models itself. */
const MODELS = "claude-*"

const program = "node_modules/.bin/claude"
const mcp = JSON.stringify({ mcpServers: { weather: { command: process.execPath, args: ["mcp.mjs"] } } })
const tools = "Write,Bash,Read,WebSearch,Agent,mcp__weather__get_weather"
const flags = ["--allowedTools", tools, "--output-format", "json", "--mcp-config", mcp]

const agent =
  ({ again = [], more = [] }: Pick<Loop, "again" | "more">) =>
  ({ key, url }: Gateway) => ({
    commands: [
      [program, "-p", "Do it.", ...flags, ...more],
      ...again.map((prompt) => [program, "--continue", "-p", prompt, ...flags])
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // A refusal is to be seen, not tried again for minutes.
      CLAUDE_CODE_MAX_RETRIES: "0"
    }
  })

interface Loop {
  readonly part: string
  readonly name: string
  readonly script: ReadonlyArray<Step>
  /** The provider has Messages itself. */
  readonly isNative?: boolean
  /** Arguments. */
  readonly more?: ReadonlyArray<string>
  /** What is asked next in the same conversation. */
  readonly again?: ReadonlyArray<string>
  readonly check: (run: AgentRun) => void
}

const write = { call: "Write", with: { file_path: "made.txt", content: "made by the model\n" } }
const shell = { call: "Bash", with: { command: "cat made.txt && echo and read", description: "Reads the file" } }
const done = { say: "It is made." }

const isMade = ({ folder }: AgentRun) =>
  assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "made by the model\n")

const loops: ReadonlyArray<Loop> = [
  {
    part: "tools",
    name: "a tool loop: a file is written and read by a shell",
    script: [[write], [shell], done],
    check: (run) => {
      isMade(run)
      assert.match(run.model.results()[1] ?? "", /made by the model\\?n?\s*and read/)
    }
  },
  {
    part: "native",
    name: "the same tools at a provider that has Messages",
    isNative: true,
    script: [[write], [shell], done],
    check: isMade
  },
  {
    part: "parallel",
    name: "two tools at once, one of them an MCP server's",
    // It offers the tools of such servers only to who has looked for them.
    script: [
      [{ call: "ToolSearch", with: { query: "select:mcp__weather__get_weather" } }],
      [write, { call: "get_weather", with: { city: "Paris" } }],
      done
    ],
    check: (run) => {
      isMade(run)
      assert.match(run.model.results().join(), /It is sunny in Paris/)
    }
  },
  {
    part: "resumed",
    name: "a conversation that is continued",
    script: [[write], { say: "It is begun." }, done],
    again: ["And now?"],
    check: (run) => {
      isMade(run)
      assert.match(JSON.stringify(run.model.conversation().messages), /It is begun\..*And now\?/)
    }
  },
  {
    part: "web",
    name: "a search of the web, which its vendor would do: the model answers without",
    script: [
      [{ call: "ToolSearch", with: { query: "select:WebSearch" } }],
      [{ call: "WebSearch", with: { query: "ravens and writing desks" } }],
      done
    ],
    check: ({ model }) => assert.match(model.results()[1] ?? "", /Web search results for query/)
  },
  {
    part: "images",
    name: "a picture that a tool reads",
    script: [[{ call: "Read", with: { file_path: "picture.png" } }], done],
    check: ({ model }) =>
      assert.match(JSON.stringify(model.conversation().messages), /"image_url":\{"url":"data:image\/png;base64,/)
  }
]

const broken = "a stream that breaks off is no answer"
const compacted = "a conversation that gets too long is summed up, and goes on"
const tooLong = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."

export const claudeCode: Client = {
  name: "claude-code",
  version,
  needs: ["node"],
  install: npm({ [name]: version }, { scripts: [name] }),
  parts: [...loops.map(({ part }) => part), "broken", "compacted"],
  run: Effect.fnUntraced(function* (room) {
    if (room.parts.includes("broken")) {
      yield* room.checks.check(
        broken,
        Effect.gen(function* () {
          const task = { name: MODELS, script: [{ say: "It is", breaksOff: true }] }
          const { events } = yield* runAgent(room, task, agent({}))
          assert.deepEqual(
            events.map(({ is_error }) => is_error),
            [true]
          )
        }).pipe(Effect.scoped)
      )
    }
    if (room.parts.includes("compacted")) {
      yield* room.checks.check(
        compacted,
        Effect.gen(function* () {
          const summary = { say: "<summary>A file was made.</summary>" }
          const script = [[write], { tooLong }, summary, done]
          const { events, model } = yield* runAgent(room, { name: MODELS, script }, agent({}))
          assert.deepEqual(
            events.map(({ result }) => result),
            [done.say]
          )
          assert.match(JSON.stringify(model.asked.at(-1)?.body.messages), /A file was made\./)
        }).pipe(Effect.scoped)
      )
    }
    for (const loop of loops.filter(({ part }) => room.parts.includes(part))) {
      const { script } = loop
      const native = loop.isNative === true ? { protocol: "anthropic-messages", operation: "messages" } : undefined
      yield* room.checks.check(
        loop.name,
        Effect.gen(function* () {
          const run = yield* runAgent(room, { name: MODELS, native, script }, agent(loop))
          loop.check(run)
          const { events, model } = run
          const uses = script.filter((step) => Array.isArray(step))
          assert.equal(model.results().length, uses.flat().length)
          // It forgets a model's thoughts itself when it continues. Anthropic is never sent those of another vendor's model.
          const keepsThoughts = loop.again === undefined && native === undefined
          assert.equal(model.thoughts(), keepsThoughts ? uses.length : 0)
          for (const { is_error, result, usage } of events) {
            assert.equal(is_error, false, result)
            assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage))
          }
          assert.deepEqual(
            events.map(({ result }) => result),
            script.flatMap((step) => ("say" in step ? [step.say] : []))
          )
        }).pipe(Effect.scoped)
      )
    }
  })
}
