/** Every configuration is read by what the tool reads it with: TOML, YAML, JSON, a shell, the SDK itself. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser"
import { parse as parseYaml } from "yaml"
import { tools } from "../../src/connect/ConnectedTools.ts"
import { adminStub, type Answers } from "../AdminStub.ts"
import { invoke } from "../Invoke.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const KEY = "mgw_c0ffee_kept-out-of-everything"
/** A name that every language has to quote. */
const ODD = `odd "name" $(date) 'it''s' \\ größer`

const model = (id: string, operations = ["chat"], size: number | null = null) => ({
  id,
  gateway: { context_window: size, max_output_tokens: size === null ? null : size / 4, operations }
})

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "mini",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello from there." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
}

const answers: Answers = {
  "GET /v1/models": {
    body: {
      object: "list",
      data: [model("embed", ["embeddings"]), model("big", ["chat"], 400_000), model("auto"), model(ODD)]
    }
  },
  "POST /v1/chat/completions": { body: completion }
}

const printed = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const stub = yield* adminStub(answers)
  const ran = yield* invoke(["connect", ...args, "--url", stub.url], { GATEWAY_API_KEY: KEY })
  assert.strictEqual(ran.code, 0, ran.stderr)
  assert.notInclude(ran.stdout + ran.stderr, KEY)
  assert.match(ran.stderr, /^# \S+: .*GATEWAY_API_KEY/)
  assert.strictEqual(stub.asked[0]?.authorization, `Bearer ${KEY}`)
  return { stub, text: ran.stdout, url: `${stub.url}/v1` }
})

/** What a program says, run with the key in its environment. */
const output = (program: string, args: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", GATEWAY_API_KEY: KEY }
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.once("close", () => resume(Effect.succeed(said)))
  })

const variables = (script: string, ...names: ReadonlyArray<string>) =>
  Effect.map(
    output("sh", ["-c", `${script}\n${names.map((name) => `printf '%s\\n' "$${name}"`).join("\n")}`]),
    (said) => said.trimEnd().split("\n")
  )

describe("connect", () => {
  for (const name of ["auto", ODD]) {
    it.effect(`codex reads TOML: ${name}`, () =>
      Effect.gen(function* () {
        const { text, url } = yield* printed("codex", "--model", name)
        const gateway = {
          name: "Gateway",
          base_url: url,
          env_key: "GATEWAY_API_KEY",
          wire_api: "responses",
          supports_websockets: true
        }
        assert.deepStrictEqual(getStaticTOMLValue(parseTOML(text)), {
          model: name,
          model_provider: "gateway",
          model_providers: { gateway }
        })
      })
    )

    it.effect(`continue reads YAML: ${name}`, () =>
      Effect.gen(function* () {
        const { text, url } = yield* printed("continue", "--model", name)
        const read = parseYaml(text)
        assert.include(read.models[0], { name, model: name, provider: "openai", apiBase: url })
        assert.strictEqual(read.models[0].apiKey, "${{ secrets.GATEWAY_API_KEY }}")
        assert.strictEqual(read.schema, "v1")
      })
    )

    it.effect(`a shell reads what is for one: ${name}`, () =>
      Effect.gen(function* () {
        const claude = yield* printed("claude-code", "--model", name)
        assert.deepStrictEqual(
          yield* variables(claude.text, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
          [claude.stub.url, KEY, name]
        )
        const aider = yield* printed("aider", "--model", name)
        assert.deepStrictEqual(yield* variables(aider.text, "OPENAI_API_BASE", "OPENAI_API_KEY", "AIDER_MODEL"), [
          aider.url,
          KEY,
          `openai/${name}`
        ])
        const cline = yield* printed("cline", "--model", name)
        const args = yield* output("sh", ["-c", `cline() { printf '%s\\n' "$@"; }\n${cline.text}`])
        assert.deepStrictEqual(args.trimEnd().split("\n"), [
          "auth",
          "openai-compatible",
          "-b",
          cline.url,
          "-k",
          KEY,
          "-m",
          name
        ])
      })
    )
  }

  it.effect("opencode and VS Code read JSON, with the model's size", () =>
    Effect.gen(function* () {
      const opencode = yield* printed("opencode", "--model", "big")
      const read = JSON.parse(opencode.text)
      assert.strictEqual(read.model, "gateway/big")
      assert.deepStrictEqual(read.provider.gateway.options, { baseURL: opencode.url, apiKey: "{env:GATEWAY_API_KEY}" })
      assert.deepStrictEqual(read.provider.gateway.models.big.limit, { context: 400_000, output: 100_000 })
      const vscode = yield* printed("vscode", "--model", "big")
      const [group] = JSON.parse(vscode.text)
      assert.include(group.models[0], {
        id: "big",
        url: `${vscode.url}/chat/completions`,
        maxInputTokens: 300_000,
        maxOutputTokens: 100_000
      })
    })
  )

  it.live(
    "the AI SDK, LangChain and OpenAI's SDK answer with what is printed",
    () =>
      Effect.gen(function* () {
        const run = (code: string) =>
          output(process.execPath, ["--conditions=model-gateway-source", "--input-type=module", "-e", code])
        const ai = yield* printed("ai-sdk")
        assert.strictEqual(yield* run(ai.text), "Hello from there.\n")
        const langchain = yield* printed("langchain")
        assert.strictEqual(yield* run(langchain.text), "Hello from there.\n")
        const openai = yield* printed("openai")
        const code = `import OpenAI from "openai"; const messages = [{ role: "user", content: "Hi" }]; const answer = await new OpenAI().chat.completions.create({ model: process.env.OPENAI_MODEL, messages }); console.log(answer.choices[0].message.content)`
        const script = `${openai.text}\nexec "${process.execPath}" --input-type=module -e '${code}'`
        assert.strictEqual(yield* output("sh", ["-c", script]), "Hello from there.\n")
        for (const { stub } of [ai, langchain, openai]) {
          const asked = stub.asked.at(-1)
          assert.strictEqual(asked?.authorization, `Bearer ${KEY}`)
          assert.match(JSON.stringify(asked?.body), /"model":"auto"/)
        }
      }),
    60_000
  )

  it.effect("has a configuration for every tool, with auto where there is one", () =>
    Effect.gen(function* () {
      for (const { name } of tools) assert.include((yield* printed(name)).text, name === "cline" ? "-m auto" : "auto")
    })
  )

  const failing = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, code: number, said: RegExp) =>
    Effect.gen(function* () {
      const ran = yield* invoke(["connect", ...args], env)
      assert.deepStrictEqual([ran.code, ran.stdout], [code, ""])
      assert.match(ran.stderr, said)
      assert.notInclude(ran.stderr, KEY)
    })

  it.effect("an unknown tool is told the nearest name", () =>
    failing(["codx"], {}, 2, /No configuration is known for "codx"; did you mean codex/)
  )

  it.effect("no key names the variable, and how to make one", () =>
    failing(["codex"], {}, 1, /^no key: set GATEWAY_API_KEY .*model-gateway keys create --name codex/)
  )

  it.effect("a key with a space in it is none", () =>
    failing(["codex"], { GATEWAY_API_KEY: "mgw_a b" }, 1, /^GATEWAY_API_KEY holds no key/)
  )

  it.effect("nobody there is said so", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(adminStub({}))
      yield* failing(
        ["codex", "--url", url],
        { GATEWAY_API_KEY: KEY },
        1,
        /^nothing responds at http.*is the gateway running/
      )
    })
  )

  it.effect("a refused key, an unknown model, no model, and another server are said so", () =>
    Effect.gen(function* () {
      const error = { type: "authentication_error", message: "no", param: null, code: "invalid_api_key" }
      const cases: ReadonlyArray<readonly [Answers, ReadonlyArray<string>, RegExp]> = [
        [
          { "GET /v1/models": { status: 401, body: { error } } },
          [],
          /does not know the key in the environment variable GATEWAY_API_KEY/
        ],
        [{ "GET /v1/models": { status: 403, body: { error } } }, [], /must be a virtual key, not the master key/],
        [
          { "GET /v1/models": { body: { data: [model("embed", ["embeddings"])] } } },
          [],
          /may use no model that can chat/
        ],
        [{ "GET /v1/models": { body: "<html>" } }, [], /Check the address\./],
        [answers, ["--model", "bigg"], /no model "bigg" that can chat; did you mean big/]
      ]
      for (const [given, args, said] of cases) {
        const stub = yield* adminStub(given)
        yield* failing(["codex", "--url", stub.url, ...args], { GATEWAY_API_KEY: KEY }, 1, said)
      }
    })
  )
})
