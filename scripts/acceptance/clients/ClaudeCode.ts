/** Claude Code speaks Messages, streamed. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { runAgent } from "../CommandLine.ts"
import { npm } from "../Install.ts"
import type { Gateway } from "../Gateways.ts"

const version = "2.1.330"
const name = "@anthropic-ai/claude-code"

const agent = ({ key, url }: Gateway) => ({
  command: [
    "node_modules/.bin/claude",
    "-p",
    "Do it.",
    "--model",
    "coder",
    "--allowedTools",
    "Write,Bash",
    "--output-format",
    "json"
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

export const claudeCode: Client = {
  name: "claude-code",
  version,
  needs: ["node"],
  install: npm({ [name]: version }, { scripts: [name] }),
  parts: ["tools"],
  run: Effect.fnUntraced(function* (room) {
    yield* room.checks.check(
      "a tool loop: a file is written and read by a shell",
      Effect.gen(function* () {
        const script = [
          { call: "Write", with: { file_path: "made.txt", content: "made by the model\n" } },
          { call: "Bash", with: { command: "cat made.txt && echo and read", description: "Reads the file" } },
          { say: "It is made." }
        ]
        const { events, folder, model } = yield* runAgent(room, { names: ["coder"], script }, agent)
        assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "made by the model\n")
        const [written, read] = model.results()
        assert.match(written ?? "", /made\.txt/)
        assert.match(read ?? "", /made by the model\\?n?\s*and read/)
        assert.equal(model.thoughts(), 2)
        const [result] = events
        assert.equal(result.is_error, false)
        assert.equal(result.result, "It is made.")
        assert.equal(result.num_turns, script.length)
        assert.ok(result.usage.input_tokens > 0 && result.usage.output_tokens > 0, JSON.stringify(result.usage))
      }).pipe(Effect.scoped)
    )
  })
}
