/** What the tests of this room share: known vendors, an environment, the fixtures. */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import type { Environment } from "../../src/config/Interpolation.ts"
import { parseSettings } from "../../src/config/ParseSettings.ts"
import type { ConfigInvalid } from "../../src/config/Problem.ts"
import type { Settings } from "../../src/core/domain/Settings.ts"
import type { StarterVendor } from "../../../model-gateway/src/configuration/Starter.ts"

export const vendors: ReadonlyArray<StarterVendor> = [
  {
    name: "openai",
    protocol: "openai-chat",
    apiKeyVariable: "OPENAI_API_KEY",
    starterModels: ["gpt-5-nano", "gpt-5-mini", "gpt-5", "gpt-5"]
  },
  {
    name: "anthropic",
    protocol: "anthropic-messages",
    apiKeyVariable: "ANTHROPIC_API_KEY",
    starterModels: ["claude-haiku-4-5", "claude-sonnet-4-5"]
  },
  {
    name: "demo",
    protocol: "openai-chat",
    apiKeyVariable: undefined,
    starterModels: ["mini", "standard", "large", "reasoner"]
  }
]

export const masterKey = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

export const environment = {
  GATEWAY_MASTER_KEY: masterKey,
  OPENAI_API_KEY: "sk-secret-from-environment-1",
  OPENAI_KEY_2: "sk-secret-from-environment-2",
  ANTHROPIC_API_KEY: "sk-secret-from-environment-3"
}

export const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8")

interface Outside {
  readonly file?: string
  readonly environment?: Environment
  readonly files?: Readonly<Record<string, string>>
}

export const parse = (text: string, outside: Outside = {}): Result.Result<Settings, ConfigInvalid> =>
  parseSettings(text, {
    file: outside.file ?? "gateway.yaml",
    vendors,
    environment: outside.environment ?? environment,
    readFile: (path) => Result.fromNullishOr(outside.files?.[path], () => "no such file")
  })

/** The problems, one per line. */
export const problemsOf = (text: string, outside: Outside = {}): ReadonlyArray<string> =>
  Result.match(parse(text, outside), {
    onFailure: (invalid) => invalid.message.split("\n"),
    onSuccess: () => []
  })

/** A file that is right but for what is added to it. Its three lines come first. */
export const withBasics = (text: string): string =>
  `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { openai: { api_key: "\${OPENAI_API_KEY}" }, demo: }\ndeployments: [openai/gpt-5, demo/mini]\n${text}`
