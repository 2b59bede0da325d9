/** The configuration of each tool, as of 2026-11-22. It contains no key: each tool reads GATEWAY_API_KEY, or prompts for it. */
import { doubleQuoted, json, lines, shellQuoted } from "./Quoting.ts"

/** Values that a configuration contains. */
export interface Target {
  /** Without `/v1` and without a slash at its end. */
  readonly url: string
  readonly model: string
  /** Tokens of input and output together; null: unknown. */
  readonly contextWindow: number | null
  readonly maxOutputTokens: number | null
}

interface Tool {
  readonly name: string
  /** Where it goes, and what else is to be done. */
  readonly note: string
  readonly write: (target: Target) => string
}

/** The variable that every configuration names. */
export const KEY_VARIABLE = "GATEWAY_API_KEY"
const KEY = `"$${KEY_VARIABLE}"`

const api = ({ url }: Target): string => `${url}/v1`

/** The context size in tools' configurations for models whose size is unknown: one that most models have. */
const USUAL_CONTEXT = 128_000
const USUAL_OUTPUT = 16_384

const sizeOf = ({ contextWindow, maxOutputTokens }: Target) => {
  const context = contextWindow ?? USUAL_CONTEXT
  return { context, output: Math.min(maxOutputTokens ?? USUAL_OUTPUT, context) }
}

/** As `npm run acceptance` uses it, with codex 0.169.0. */
const codex: Tool = {
  name: "codex",
  note: "for ~/.codex/config.toml",
  write: (target) =>
    lines(
      `model = ${doubleQuoted(target.model)}`,
      `model_provider = "gateway"`,
      "",
      "[model_providers.gateway]",
      `name = "Gateway"`,
      `base_url = ${doubleQuoted(api(target))}`,
      `env_key = "${KEY_VARIABLE}"`,
      `wire_api = "responses"`,
      "supports_websockets = true"
    )
}

/** As `npm run acceptance` uses it, with claude-code 2.1.330; the names of models: https://code.claude.com/docs/en/env-vars */
const claudeCode: Tool = {
  name: "claude-code",
  note: "for the shell that starts `claude`",
  write: ({ model, url }) =>
    lines(
      `export ANTHROPIC_BASE_URL=${shellQuoted(url)}`,
      `export ANTHROPIC_API_KEY=${KEY}`,
      ...["", "_DEFAULT_OPUS", "_DEFAULT_SONNET", "_DEFAULT_HAIKU"].map(
        (kind) => `export ANTHROPIC${kind}_MODEL=${shellQuoted(model)}`
      )
    )
}

/** As `npm run acceptance:agents` uses it, with gemini-cli 0.61.0. */
const geminiCli: Tool = {
  name: "gemini-cli",
  note: "for the shell that starts `gemini`",
  write: ({ model, url }) =>
    lines(
      `export GOOGLE_GEMINI_BASE_URL=${shellQuoted(url)}`,
      `export GEMINI_API_KEY=${KEY}`,
      `export GEMINI_MODEL=${shellQuoted(model)}`
    )
}

/** https://opencode.ai/docs/providers */
const opencode: Tool = {
  name: "opencode",
  note: "for opencode.json in the project, or ~/.config/opencode/opencode.json",
  write: (target) =>
    json({
      $schema: "https://opencode.ai/config.json",
      provider: {
        gateway: {
          npm: "@ai-sdk/openai-compatible",
          name: "Gateway",
          options: { baseURL: api(target), apiKey: `{env:${KEY_VARIABLE}}` },
          models: { [target.model]: { name: target.model, limit: sizeOf(target) } }
        }
      },
      model: `gateway/${target.model}`
    })
}

/** https://docs.continue.dev/customize/model-providers/top-level/openai; secrets: https://github.com/continuedev/continue/issues/5902 */
const continueDev: Tool = {
  name: "continue",
  note: `for ~/.continue/config.yaml; Continue reads ${KEY_VARIABLE} from ~/.continue/.env, not from the shell`,
  write: (target) =>
    lines(
      "name: Gateway",
      "version: 0.0.1",
      "schema: v1",
      "models:",
      `  - name: ${doubleQuoted(target.model)}`,
      "    provider: openai",
      `    model: ${doubleQuoted(target.model)}`,
      `    apiBase: ${doubleQuoted(api(target))}`,
      `    apiKey: \${{ secrets.${KEY_VARIABLE} }}`,
      "    roles: [chat, edit, apply]"
    )
}

/** https://docs.cline.bot/provider-config/openai-compatible; the flags are those of cline 3.0.65. */
const cline: Tool = {
  name: "cline",
  note: "to run once; in the editor: API Provider `OpenAI Compatible`, with the same address, key and model",
  write: (target) =>
    lines(`cline auth openai-compatible -b ${shellQuoted(api(target))} -k ${KEY} -m ${shellQuoted(target.model)}`)
}

/** https://aider.chat/docs/llms/openai-compat.html */
const aider: Tool = {
  name: "aider",
  note: "for the shell that starts `aider`",
  write: (target) =>
    lines(
      `export OPENAI_API_BASE=${shellQuoted(api(target))}`,
      `export OPENAI_API_KEY=${KEY}`,
      `export AIDER_MODEL=${shellQuoted(`openai/${target.model}`)}`
    )
}

/** VS Code's own "Custom Endpoint"; an example of its file: https://voxvey-developers.pages.dev/docs/agents-vscode */
const vscode: Tool = {
  name: "vscode",
  note: "for chatLanguageModels.json (Chat: Manage Language Models, Add Models, Custom Endpoint), which prompts for the key",
  write: (target) => {
    const { context, output } = sizeOf(target)
    const model = {
      // VS Code takes a model whose id is `auto` for its own.
      id: target.model,
      name: `${target.model} (Gateway)`,
      url: `${api(target)}/chat/completions`,
      apiType: "chat-completions",
      toolCalling: true,
      vision: false,
      maxInputTokens: Math.max(context - output, 1),
      maxOutputTokens: output
    }
    return json([{ name: "Gateway", vendor: "customendpoint", models: [model] }])
  }
}

const langchain: Tool = {
  name: "langchain",
  note: "after `npm install @langchain/core` and @model-gateway/langchain, which packages/langchain/README.md installs from a clone until it is published",
  write: ({ model, url }) =>
    lines(
      `import { ChatGateway } from "@model-gateway/langchain"`,
      "",
      `const model = new ChatGateway({ baseUrl: ${doubleQuoted(url)}, apiKey: process.env.${KEY_VARIABLE}, model: ${doubleQuoted(model)} })`,
      `console.log((await model.invoke("Say hello.")).text)`
    )
}

const openai: Tool = {
  name: "openai",
  note: `for the shell that starts your program: the SDKs for Python, Node and Go read both; use the model named below`,
  write: (target) =>
    lines(
      `export OPENAI_BASE_URL=${shellQuoted(api(target))}`,
      `export OPENAI_API_KEY=${KEY}`,
      `export OPENAI_MODEL=${shellQuoted(target.model)}`
    )
}

const aiSdk: Tool = {
  name: "ai-sdk",
  note: "after `npm install ai @ai-sdk/openai`",
  write: (target) =>
    lines(
      `import { createOpenAI } from "@ai-sdk/openai"`,
      `import { generateText } from "ai"`,
      "",
      `const gateway = createOpenAI({ baseURL: ${doubleQuoted(api(target))}, apiKey: process.env.${KEY_VARIABLE} })`,
      `const { text } = await generateText({ model: gateway.chat(${doubleQuoted(target.model)}), prompt: "Say hello." })`,
      "console.log(text)"
    )
}

export const tools: ReadonlyArray<Tool> = [
  codex,
  claudeCode,
  geminiCli,
  opencode,
  continueDev,
  cline,
  aider,
  vscode,
  langchain,
  openai,
  aiSdk
]
