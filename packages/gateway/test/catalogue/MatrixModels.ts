/** The models of the matrix, as a configuration names them: thirty that are current, and some of them where others serve them. */
const list = (provider: string, models: string): ReadonlyArray<string> =>
  models.split(" ").map((model) => `${provider}/${model}`)

export const currentModels: ReadonlyArray<string> = [
  ...list(
    "openai",
    "gpt-6.2-astra gpt-6.2-sol gpt-6.1-sol gpt-6.1-terra gpt-6-luna gpt-5.6-sol gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-5.5-pro chat-latest"
  ),
  ...list(
    "anthropic",
    "claude-fable-5-2 claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-opus-5 claude-sonnet-4-6 claude-haiku-4-5"
  ),
  ...list("google-ai-studio", "gemini-4-neon gemini-4-hydrogen gemini-4-carbon gemini-3.8-flash gemini-3.5-flash-lite"),
  ...list("xai", "grok-4.7"),
  ...list("deepseek", "deepseek-flash"),
  ...list("moonshot", "kimi-k3.1-pro"),
  ...list("zai", "glm-5.3"),
  ...list("qwen", "qwen3.8-max"),
  ...list("mistral", "mistral-large-4"),
  ...list("minimax", "MiniMax-M3")
]

export const resoldModels: ReadonlyArray<string> = [
  ...list("azure", "gpt-6.2-sol"),
  ...list(
    "bedrock",
    "us.anthropic.claude-opus-5-5 global.anthropic.claude-sonnet-5-5 us.anthropic.claude-haiku-4-5-20251001-v1:0 us.amazon.nova-2-lite-v1:0 openai.gpt-oss-120b-1:0"
  ),
  ...list("vertex", "claude-opus-5-5 claude-haiku-4-5@20251001 gemini-4-neon"),
  ...list("google-ai-studio", "gemini-4-argon"),
  ...list("anthropic", "claude-mythos-5-2")
]
