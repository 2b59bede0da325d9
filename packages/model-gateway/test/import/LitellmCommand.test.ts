import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

const CONFIG = `model_list:
  # the cheap one
  # its key: api_key: sk-proj-SECRET123456
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: sk-proj-SECRET123456 }
include: [more.yaml]
general_settings: { master_key: sk-1234 }
`
const MORE = `model_list:
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5 } }
litellm_settings: { request_timeout: 60 }
`

const prepared = Effect.map(folder, (cwd) => {
  writeFileSync(join(cwd, "config.yaml"), CONFIG)
  writeFileSync(join(cwd, "more.yaml"), MORE)
  return { config: join(cwd, "config.yaml"), out: join(cwd, "gateway.yaml"), cwd }
})

const env = {
  GATEWAY_MASTER_KEY: "q7Vn2LxW9cRt4YbK8mPz3HsD6fJg1aUe5T",
  OPENAI_API_KEY: "o-key",
  ANTHROPIC_API_KEY: "a-key"
}

describe("import litellm", () => {
  it.effect("writes a file that check accepts, with what is included and the comments that hold no key", () =>
    Effect.gen(function* () {
      const { config, out } = yield* prepared
      const ran = yield* invoke(["import", "litellm", config, "--out", out], {})
      assert.strictEqual(ran.code, 0, ran.stderr)
      const text = readFileSync(out, "utf8")
      assert.include(text, "# the cheap one")
      assert.include(text, "anthropic")
      assert.include(text, "total: 60s")
      assert.strictEqual(statSync(out).mode & 0o777, 0o600)
      for (const said of [text, ran.stdout, ran.stderr]) assert.notInclude(said, "SECRET")
      assert.include(
        ran.stdout,
        "config.yaml:5:54 model_list[0].litellm_params.api_key: keys are not copied: set OPENAI_API_KEY to it"
      )
      const checked = yield* invoke(["check", "--config", out], env)
      assert.strictEqual(checked.code, 0, checked.stderr)
      assert.include(checked.stdout, "openai/gpt-4o")
    })
  )

  it.effect("never overwrites, and says so", () =>
    Effect.gen(function* () {
      const { config, out } = yield* prepared
      writeFileSync(out, "mine")
      const ran = yield* invoke(["import", "litellm", config, "--out", out], {})
      assert.strictEqual(ran.code, 1)
      assert.match(ran.stderr, /is there already and stays as it is/)
      assert.strictEqual(readFileSync(out, "utf8"), "mine")
    })
  )

  it.effect("prints the configuration alone on stdout, and writes nothing", () =>
    Effect.gen(function* () {
      const { config, out } = yield* prepared
      const ran = yield* invoke(["import", "litellm", config, "--stdout", "--out", out], {})
      assert.strictEqual(ran.code, 0)
      assert.match(ran.stdout, /^# Made by `model-gateway import litellm` from config\.yaml/)
      assert.include(ran.stderr, "values read:")
      assert.isFalse(existsSync(out))
    })
  )

  it.effect("reports as JSON, with a line for every value, and the variables that a .env file lacks", () =>
    Effect.gen(function* () {
      const { config, cwd, out } = yield* prepared
      writeFileSync(join(cwd, ".env"), "export OPENAI_API_KEY=sk-SECRETofthefile\nANTHROPIC_API_KEY=\n")
      const ran = yield* invoke(
        ["import", "litellm", config, "--out", out, "--report", "json", "--env", join(cwd, ".env")],
        {}
      )
      const report = JSON.parse(ran.stdout)
      assert.strictEqual(report.counts.values, report.values.length)
      assert.deepStrictEqual(report.lacking, ["ANTHROPIC_API_KEY", "GATEWAY_MASTER_KEY"])
      assert.notInclude(ran.stdout, "SECRET")
    })
  )

  it.effect("fails where no model can be carried over, with the report, and where there is no file", () =>
    Effect.gen(function* () {
      const { config, out } = yield* prepared
      writeFileSync(config, "model_list: [{ model_name: a, litellm_params: { model: sagemaker/x } }]")
      const ran = yield* invoke(["import", "litellm", config, "--out", out], {})
      assert.strictEqual(ran.code, 1)
      assert.include(ran.stdout, "this gateway has no vendor sagemaker")
      assert.match(ran.stderr, /No model of .* can be carried over, so nothing was written/)
      assert.isFalse(existsSync(out))
      const none = yield* invoke(["import", "litellm", `${config}.not`], {})
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /can't be read: no such file/)
    })
  )
})
