/**
 * What other tools want to be told to use the same gateway: as `model-gateway connect` prints it, letter by letter (a test compares them).
 * No key is in it: each tool reads it from GATEWAY_API_KEY.
 */
import type { ModelInfo } from "../models/ModelInfo.ts"

export interface ToolConfiguration {
  readonly name: "codex" | "claude-code" | "opencode" | "continue"
  readonly label: string
  /** Where the text goes. */
  readonly place: string
  readonly language: string
  readonly write: (target: Target) => string
}

export interface Target {
  readonly url: string
  readonly model: string
  readonly context: number
  readonly output: number
}

export const targetOf = (url: string, { contextWindow, maxOutputTokens, model }: ModelInfo): Target => ({
  url,
  model,
  context: contextWindow,
  output: maxOutputTokens
})

const KEY = "GATEWAY_API_KEY"

const lines = (...all: ReadonlyArray<string>): string => all.join("\n")

/** For TOML and YAML, which read JSON's strings; TOML takes no bare DEL. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f")

/** For a POSIX shell. */
const shell = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const codex: ToolConfiguration = {
  name: "codex",
  label: "Codex",
  place: "~/.codex/config.toml",
  language: "toml",
  write: ({ model, url }) =>
    lines(
      `model = ${quoted(model)}`,
      `model_provider = "gateway"`,
      "",
      "[model_providers.gateway]",
      `name = "Gateway"`,
      `base_url = ${quoted(`${url}/v1`)}`,
      `env_key = "${KEY}"`,
      `wire_api = "responses"`,
      "supports_websockets = true"
    )
}

const claudeCode: ToolConfiguration = {
  name: "claude-code",
  label: "Claude Code",
  place: "the shell that starts claude",
  language: "shellscript",
  write: ({ model, url }) =>
    lines(
      `export ANTHROPIC_BASE_URL=${shell(url)}`,
      `export ANTHROPIC_API_KEY="$${KEY}"`,
      ...["", "_DEFAULT_OPUS", "_DEFAULT_SONNET", "_DEFAULT_HAIKU"].map(
        (kind) => `export ANTHROPIC${kind}_MODEL=${shell(model)}`
      )
    )
}

const opencode: ToolConfiguration = {
  name: "opencode",
  label: "opencode",
  place: "opencode.json in the project, or ~/.config/opencode/opencode.json",
  language: "json",
  write: ({ context, model, output, url }) =>
    JSON.stringify(
      {
        $schema: "https://opencode.ai/config.json",
        provider: {
          gateway: {
            npm: "@ai-sdk/openai-compatible",
            name: "Gateway",
            options: { baseURL: `${url}/v1`, apiKey: `{env:${KEY}}` },
            models: { [model]: { name: model, limit: { context, output } } }
          }
        },
        model: `gateway/${model}`
      },
      null,
      2
    )
}

const continueDev: ToolConfiguration = {
  name: "continue",
  label: "Continue",
  place: "~/.continue/config.yaml",
  language: "yaml",
  write: ({ model, url }) =>
    lines(
      "name: Gateway",
      "version: 0.0.1",
      "schema: v1",
      "models:",
      `  - name: ${quoted(model)}`,
      "    provider: openai",
      `    model: ${quoted(model)}`,
      `    apiBase: ${quoted(`${url}/v1`)}`,
      `    apiKey: \${{ secrets.${KEY} }}`,
      "    roles: [chat, edit, apply]"
    )
}

export const toolConfigurations: ReadonlyArray<ToolConfiguration> = [codex, claudeCode, opencode, continueDev]
