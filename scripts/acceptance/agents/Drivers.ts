/** The coding agents, and how each is told what a journey needs: a base URL, a key, prompts, the tools of its own. */
import type { ToolUse } from "../../../packages/gateway/test/catalogue/refusing/VendorServer.ts"
import type { Seen } from "../../../packages/gateway/test/catalogue/refusing/Seen.ts"
import type { Client } from "../Client.ts"
import { claudeCode as claudeCodeClient } from "../clients/ClaudeCode.ts"
import { codex as codexClient } from "../clients/Codex.ts"
import type { Agent } from "../CommandLine.ts"
import { geminiCli as geminiCliClient, geminiSettings, opencode as opencodeClient } from "../connect/Agents.ts"

/** Where an agent sends its calls: the gateway, or the vendor itself. */
export interface Target {
  /** Without `/v1`. */
  readonly url: string
  readonly key: string
}

/** A prompt; each goes on with the conversation before it. */
export interface Prompt {
  readonly text: string
  readonly model: string
  /** The picture is attached, where the agent can do that. */
  readonly picture?: boolean
}

export interface Driver {
  readonly client: Omit<Client, "parts" | "run">
  /** A command that does nothing: its program may be missing for the machine. */
  readonly starts: ReadonlyArray<string>
  /** The vendor whose API it speaks, and a model of that vendor. */
  readonly vendor: "anthropic" | "google-ai-studio" | "openai" | "moonshot"
  readonly model: string
  readonly agent: (target: Target, prompts: ReadonlyArray<Prompt>) => Agent
  readonly shell: (command: string) => ToolUse
  /** Looks at `picture.png`. */
  readonly look: ToolUse
  /** The tool without parameters of the server of the Model Context Protocol; what it takes to be offered it comes first. */
  readonly cities: ReadonlyArray<ToolUse>
  /** Gives a subagent a prompt, and waits for what it says. Each call reads the conversation before it, as JSON. */
  readonly delegate: (prompt: string) => ReadonlyArray<(conversation: string) => ToolUse>
  readonly compaction: {
    /** Which of its calls wants a summary. */
    readonly asks: (seen: Seen) => boolean
    /** What follows when the vendor says that the conversation is too long: it goes on, ends with an exit code all the same, or stops and sums
     * up before the next prompt. */
    readonly after: "goes on" | "exit code" | "stops"
  }
}

const lastTurn = ({ body }: Seen): string =>
  JSON.stringify((body["messages"] ?? body["input"] ?? body["contents"]).at(-1))

const claude = "node_modules/.bin/claude"
const mcp = JSON.stringify({ mcpServers: { weather: { command: process.execPath, args: ["mcp.mjs"] } } })

const allowed = "Bash,Read,Agent,ToolSearch,mcp__weather"
const claudeFlags = ["--allowedTools", allowed, "--output-format", "json", "--mcp-config", mcp]

export const claudeCode: Driver = {
  client: claudeCodeClient,
  starts: [claude, "--version"],
  vendor: "anthropic",
  model: "claude-opus-5-5",
  agent: ({ key, url }, prompts) => ({
    commands: prompts.map(({ model, text }, index) => [
      claude,
      ...(index === 0 ? [] : ["--continue"]),
      "-p",
      text,
      "--model",
      model,
      ...claudeFlags
    ]),
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-5-5",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // A refusal is to be seen, not tried again for minutes.
      CLAUDE_CODE_MAX_RETRIES: "0"
    }
  }),
  shell: (command) => ({ call: "Bash", with: { command, description: "Says something" } }),
  look: { call: "Read", with: { file_path: "picture.png" } },
  cities: [
    { call: "ToolSearch", with: { query: "select:mcp__weather__list_cities" } },
    { call: "list_cities", with: {} }
  ],
  delegate: (prompt) => [
    () => ({ call: "Agent", with: { description: "A part of it", prompt, subagent_type: "general-purpose" } })
  ],
  compaction: { asks: (seen) => lastTurn(seen).includes("create a detailed summary"), after: "goes on" }
}

const codexProgram = "node_modules/.bin/codex"
const codexFlags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"]

const codexConfig = (url: string) => `
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
[mcp_servers.weather]
command = "${process.execPath}"
args = ["mcp.mjs"]
default_tools_approval_mode = "approve"
`

const agentIn = (conversation: string): string => /agent_id\W+([\w-]+)/.exec(conversation)?.[1] ?? "nobody"

export const codex: Driver = {
  client: codexClient,
  starts: [codexProgram, "--version"],
  vendor: "openai",
  model: "gpt-5.5",
  agent: ({ key, url }, prompts) => ({
    commands: prompts.map(({ model, picture = false, text }, index) => [
      codexProgram,
      "exec",
      ...(index === 0 ? [] : ["resume", "--last"]),
      ...codexFlags,
      "-m",
      model,
      text,
      ...(picture ? ["--image", "picture.png"] : [])
    ]),
    env: { GATEWAY_KEY: key },
    home: { ".codex/config.toml": codexConfig(url) }
  }),
  shell: (cmd) => ({ call: "exec_command", with: { cmd } }),
  look: { call: "view_image", with: { path: "picture.png" } },
  cities: [{ call: "list_cities", with: {} }],
  delegate: (message) => [
    () => ({ call: "spawn_agent", with: { message } }),
    (conversation) => ({ call: "wait_agent", with: { targets: [agentIn(conversation)], timeout_ms: 120_000 } })
  ],
  compaction: { asks: (seen) => lastTurn(seen).includes("CONTEXT CHECKPOINT COMPACTION"), after: "stops" }
}

const opencodeProgram = "node_modules/.bin/opencode"

const opencodeConfig = (url: string, models: ReadonlyArray<string>) =>
  JSON.stringify({
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    small_model: `gateway/${models[0]}`,
    provider: {
      gateway: {
        npm: "@ai-sdk/openai-compatible",
        name: "Gateway",
        options: { baseURL: `${url}/v1`, apiKey: "{env:GATEWAY_KEY}" },
        models: Object.fromEntries(
          models.map((name) => [
            name,
            {
              name,
              attachment: true,
              reasoning: true,
              tool_call: true,
              modalities: { input: ["text", "image"], output: ["text"] },
              interleaved: { field: "reasoning_content" },
              limit: { context: 200_000, output: 8_000 }
            }
          ])
        )
      }
    },
    mcp: { weather: { type: "local", command: [process.execPath, "mcp.mjs"], enabled: true } }
  })

export const opencode: Driver = {
  client: opencodeClient,
  starts: [opencodeProgram, "--version"],
  vendor: "moonshot",
  model: "kimi-k3",
  agent: ({ key, url }, prompts) => ({
    commands: prompts.map(({ model, picture = false, text }, index) => [
      opencodeProgram,
      "run",
      ...(index === 0 ? [] : ["--continue"]),
      "--format",
      "json",
      "-m",
      `gateway/${model}`,
      text,
      ...(picture ? ["--file", "picture.png"] : [])
    ]),
    env: { GATEWAY_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    home: {
      ".config/opencode/opencode.json": opencodeConfig(url, [...new Set(prompts.map(({ model }) => model))])
    }
  }),
  shell: (command) => ({ call: "bash", with: { command, description: "Says something" } }),
  look: { call: "read", with: { filePath: "picture.png" } },
  cities: [{ call: "list_cities", with: {} }],
  delegate: (prompt) => [
    () => ({ call: "task", with: { description: "A part of it", prompt, subagent_type: "general" } })
  ],
  compaction: { asks: ({ functions }) => functions.length === 0, after: "exit code" }
}

const gemini = "node_modules/.bin/gemini"
const geminiFlags = ["--skip-trust", "--yolo", "--output-format", "stream-json"]

export const geminiCli: Driver = {
  client: geminiCliClient,
  starts: [gemini, "--version"],
  vendor: "google-ai-studio",
  model: "gemini-4-neon",
  agent: ({ key, url }, prompts) => ({
    commands: prompts.map(({ model, text }, index) => [
      gemini,
      ...(index === 0 ? [] : ["--resume", "latest"]),
      ...geminiFlags,
      "-m",
      model,
      "-p",
      text
    ]),
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key },
    home: {
      ".gemini/settings.json": geminiSettings({
        mcpServers: { weather: { command: process.execPath, args: ["mcp.mjs"], trust: true } }
      })
    }
  }),
  // It puts "Output: " before what a command says.
  shell: (command) => ({
    call: "run_shell_command",
    with: { command: `${command} | sed s/^/./`, description: "Says something" }
  }),
  look: { call: "read_file", with: { file_path: "picture.png" } },
  cities: [{ call: "mcp_weather_list_cities", with: {} }],
  delegate: (prompt) => [() => ({ call: "generalist", with: { request: prompt } })],
  compaction: { asks: ({ functions }) => functions.length === 0, after: "stops" }
}
