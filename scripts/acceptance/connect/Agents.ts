/** Agents with a command line. Each works for a model that follows a script, with a key that has a budget. */
import assert from "node:assert/strict"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { claudeCode as wholeClaudeCode } from "../clients/ClaudeCode.ts"
import { codex as wholeCodex } from "../clients/Codex.ts"
import { type Agent, runAgent } from "../CommandLine.ts"
import type { Gateway } from "../Gateways.ts"
import { npm, pip } from "../Install.ts"
import { argumentsOf, exported, printed } from "./Printed.ts"

/** As models are often called. */
const MODEL = "acme/coder"
const ANSWER = "It is connected."

interface Tool extends Omit<Client, "parts" | "run"> {
  /** Its name for `connect`. */
  readonly tool: string
  /** How it is run with the text that was printed for it. */
  readonly agent: (text: string, gateway: Gateway) => Agent
}

const connected = ({ agent, tool, ...client }: Tool): Client => ({
  ...client,
  parts: ["connect"],
  run: (room) =>
    room.checks.check(
      "reads its configuration, and its answer comes through the gateway",
      Effect.gen(function* () {
        const run = yield* runAgent(room, { name: MODEL, script: [{ say: ANSWER }] }, (gateway) =>
          agent(printed(gateway, tool, MODEL), gateway)
        )
        assert.ok(run.model.asked.length > 0, "It asked nothing.")
        // Without tools to offer it is told a title.
        assert.match(run.output, /It is connected\.|A title/)
      }).pipe(Effect.scoped)
    )
})

export const codex = connected({
  ...wholeCodex,
  tool: "codex",
  agent: (text, { key }) => ({
    commands: [["node_modules/.bin/codex", "exec", "--skip-git-repo-check", "--json", "Do it."]],
    env: { GATEWAY_API_KEY: key },
    home: { ".codex/config.toml": `${text}\n[analytics]\nenabled = false\n` }
  })
})

export const claudeCode = connected({
  ...wholeClaudeCode,
  tool: "claude-code",
  agent: (text, { key }) => ({
    commands: [["node_modules/.bin/claude", "-p", "Do it.", "--output-format", "json"]],
    env: {
      ...exported(text, key),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_MAX_RETRIES: "0"
    }
  })
})

const OPENCODE = "1.18.33"

export const opencode = connected({
  name: "opencode",
  version: OPENCODE,
  needs: ["node"],
  install: npm({ "opencode-ai": OPENCODE }),
  tool: "opencode",
  agent: (text, { key }) => ({
    commands: [["node_modules/.bin/opencode", "run", "Do it."]],
    env: { GATEWAY_API_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: "1" },
    home: { ".config/opencode/opencode.json": text }
  })
})

/** It calls a small model for titles and routing by a name of its own. */
const GEMINI_CLI = "0.61.0"

/** No sign-in, no telemetry, no newer version of itself. */
export const geminiSettings = (more: object = {}): string =>
  JSON.stringify({
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false },
    ...more
  })

export const geminiCli = connected({
  name: "gemini-cli",
  version: GEMINI_CLI,
  needs: ["node"],
  install: npm({ "@google/gemini-cli": GEMINI_CLI }),
  tool: "gemini-cli",
  agent: (text, { key }) => ({
    commands: [["node_modules/.bin/gemini", "--skip-trust", "-p", "Do it."]],
    env: exported(text, key),
    home: { ".gemini/settings.json": geminiSettings() }
  })
})

const CONTINUE = "1.5.47"

export const continueCli = connected({
  name: "continue",
  version: CONTINUE,
  needs: ["node"],
  install: npm({ "@continuedev/cli": CONTINUE }),
  tool: "continue",
  agent: (text, { key }) => ({
    commands: [["node_modules/.bin/cn", "-p", "Do it."]],
    env: { CONTINUE_TELEMETRY_ENABLED: "0" },
    // It reads secrets from there, and nowhere else.
    home: { ".continue/config.yaml": text, ".continue/.env": `GATEWAY_API_KEY=${key}\n` }
  })
})

const CLINE = "3.0.65"

export const cline = connected({
  name: "cline",
  version: CLINE,
  needs: ["node"],
  install: npm({ cline: CLINE }),
  tool: "cline",
  agent: (text, { key }) => ({
    commands: [
      ["node_modules/.bin/cline", ...argumentsOf(text, "cline", key)],
      ["node_modules/.bin/cline", "--json", "Do it."]
    ],
    env: {}
  })
})

const AIDER = "0.86.2"
const quiet = ["--no-git", "--yes", "--no-check-update", "--no-show-model-warnings", "--analytics-disable"]

export const aider = connected({
  name: "aider",
  version: AIDER,
  needs: ["python3"],
  install: pip(`aider-chat==${AIDER}`),
  tool: "aider",
  agent: (text, { key }) => ({
    commands: [["bin/aider", ...quiet, "--message", "Do it."]],
    env: exported(text, key)
  })
})
