/**
 * Claude Code, unchanged, on a model that speaks chat completions: it reads a file and writes another, as a scripted server tells it
 * to. One line per check, then `N passed, N failed`; exit code 1 when one failed. It needs no account.
 *
 *   npm run acceptance:claude-code
 *
 * `CLAUDE_CODE` is the path of its program; left out, it is installed under node_modules/.cache on the first run.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { claude } from "../../packages/gateway/test/acceptance/messages/Claude.ts"
import { startGateway } from "../../packages/gateway/test/support/RunningGateway.ts"
import { type Asked, event, type Reply, upstream, usage } from "../../packages/gateway/test/support/Upstream.ts"

const PACKAGE = "@anthropic-ai/claude-code"
const VERSION = "2.1.330"
const TIMEOUT_MS = 120_000

const root = join(import.meta.dirname, "..", "..")
const cache = join(root, "node_modules", ".cache", "model-gateway", `claude-code-${VERSION}`)

/** The path of the program; undefined where it can't be installed. */
const program = (): string | undefined => {
  const given = process.env["CLAUDE_CODE"]
  if (given !== undefined) return given
  const installed = join(cache, "node_modules", ".bin", "claude")
  if (existsSync(installed)) return installed
  console.log(`Installing ${PACKAGE}@${VERSION} (once)`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, "package.json"), "{}")
  const { status } = spawnSync("npm", ["install", "--no-save", `${PACKAGE}@${VERSION}`], {
    cwd: cache,
    stdio: "inherit"
  })
  if (status === 0 && existsSync(installed)) return installed
  rmSync(cache, { recursive: true, force: true })
  return undefined
}

const chunk = (delta: object, finish: string | null = null): string =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }]
  })

const streamed = (...deltas: ReadonlyArray<object>): Reply => ({
  body: [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, deltas.some((delta) => "tool_calls" in delta) ? "tool_calls" : "stop"),
    event({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage }),
    "data: [DONE]\n\n"
  ]
})

const calling = (id: string, name: string, input: object): Reply => {
  const [head, tail] = [JSON.stringify(input).slice(0, 9), JSON.stringify(input).slice(9)]
  const called = { index: 0, id, type: "function", function: { name, arguments: "" } }
  const pieces = [head, tail].map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }))
  return streamed({ reasoning_content: "I need a tool." }, { tool_calls: [called] }, ...pieces)
}

/** The model's next step, by the results it has. */
const model =
  (folder: string) =>
  ({ body }: Asked): Reply => {
    const results = body.messages.filter(({ role }: { readonly role: string }) => role === "tool").length
    if (results === 0) return calling("call_1", "Read", { file_path: join(folder, "notes.txt") })
    if (results === 1) return calling("call_2", "Write", { file_path: join(folder, "copy.txt"), content: "a raven\n" })
    return streamed({ content: "Copied " }, { content: "the notes." })
  }

let failed = 0
let passed = 0
const check = (what: string, isTrue: boolean, detail = ""): void => {
  if (isTrue) passed++
  else failed++
  console.log(isTrue ? `ok   ${what}` : `FAIL ${what}${detail === "" ? "" : `: ${detail.slice(0, 2_000)}`}`)
}

const acceptance = Effect.gen(function* () {
  const path = program()
  if (path === undefined) return console.log("skipped: Claude Code, which can't be installed here")
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-claude-code-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  writeFileSync(join(folder, "notes.txt"), "a raven\n")
  const { asked, baseUrl } = yield* upstream(model(folder))
  const { createKey, ledger, url } = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, context_window: 200000, bounds: { reasoning_tokens: 0 } }]
models: { "claude-*": up/m }
`
  })
  const { secret } = yield* createKey({ budgets: [{ limit: 10_000_000_000, window: "day", timeZone: "UTC" }] })
  const args = ["-p", "Copy notes.txt to copy.txt", "--output-format", "json", "--allowedTools", "Read,Write"]
  const ran = yield* Effect.callback<{ readonly code: number | null; readonly output: string }>((resume) => {
    let output = ""
    const child = spawn(path, args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
      timeout: TIMEOUT_MS,
      env: {
        PATH: process.env["PATH"],
        HOME: join(folder, ".home"),
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: secret,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        NO_PROXY: "127.0.0.1"
      }
    })
    child.stdout.on("data", (text: Buffer) => (output += text.toString()))
    child.once("error", (error) => resume(Effect.succeed({ code: null, output: error.message })))
    child.once("close", (code) => resume(Effect.succeed({ code, output })))
  })
  check("it ends well", ran.code === 0 && ran.output.includes('"subtype":"success"'), ran.output)
  check("it says the model's last words", ran.output.includes("Copied the notes."), ran.output)
  const copy = join(folder, "copy.txt")
  check("its tool wrote the file", existsSync(copy) && readFileSync(copy, "utf8") === "a raven\n")
  const results = asked.at(-1)?.body.messages.filter(({ role }: { readonly role: string }) => role === "tool") ?? []
  check("its other tool read one", JSON.stringify(results).includes("a raven"), JSON.stringify(results))
  check(
    "the model's thoughts came back to it",
    asked
      .at(-1)
      ?.body.messages.some((one: { reasoning_content?: string }) => one.reasoning_content === "I need a tool.")
  )
  const rows = yield* ledger
  const cost = usage.prompt_tokens * 1_000 + usage.completion_tokens * 2_000
  const isBooked = rows.length === asked.length && rows.every((row) => row.status === "settled" && row.cost === cost)
  check(`each of ${asked.length} calls is booked exactly`, isBooked, JSON.stringify(rows))
  const counted = yield* Effect.promise(() =>
    claude(url, secret).messages.countTokens({ model: "claude-x", messages: [{ role: "user", content: "Hi" }] })
  )
  check("tokens are counted for a name that nobody configured", counted.input_tokens > 0)
})

await Effect.runPromise(Effect.scoped(acceptance))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
