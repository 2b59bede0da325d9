import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { defaultModel } from "../../../gateway/src/classifier/model/Builtin.ts"
import { encodeModelFile } from "../../../gateway/src/classifier/model/ModelFile.ts"
import { folder, run } from "../Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

describe("check", () => {
  it.effect("shows what would run, without secrets", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(
        join(cwd, "prod.yaml"),
        "master_key: ${GATEWAY_MASTER_KEY}\nproviders: { openai: { api_key: sk-secret-of-the-file } }\ndeployments: [openai/gpt-5]\n"
      )
      const ran = yield* run(["check", "--config", "prod.yaml"], { cwd, env: { GATEWAY_MASTER_KEY: KEY } })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "openai/gpt-5")
      assert.strictEqual(ran.stderr, "")
      for (const secret of [KEY, "sk-secret-of-the-file"]) assert.notInclude(ran.stdout, secret)
    })
  )

  it.effect("says which deployments a budget has no bound for", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const server = "{ protocol: openai-chat, base_url: 'http://127.0.0.1:9/v1', api_key: none }"
      const model = (name: string, more: string) =>
        `{ provider: up, model: ${name}, price: { input: 1, output: 2 }${more} }`
      const deployments = [
        model("a", ""),
        model("b", ", bounds: { reasoning_tokens: 0 }"),
        model("c", ", context_window: 9000")
      ]
      writeFileSync(
        join(cwd, "gateway.yaml"),
        `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { up: ${server} }\ndeployments: [${deployments.join(", ")}]\n`
      )
      const ran = yield* run(["check"], { cwd, env: { GATEWAY_MASTER_KEY: KEY } })
      assert.strictEqual(ran.code, 0, ran.stderr)
      const lines = ran.stdout.split("\n").filter((line) => line.includes("set `bounds.reasoning_tokens`"))
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "up/a")
      assert.match(ran.stdout, /up\/b .*bounds 0 reasoning tokens/)
    })
  )

  it.effect("takes the file as an argument, shows operations, and warns with places", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const providers = "{ openai: { api_key: sk-abc }, vllm: { base_url: 'http://127.0.0.1:9' } }"
      const deployments = "[openai/gpt-5-miny, openai/gpt-4o-mini-tts, vllm/llama]"
      writeFileSync(
        join(cwd, "prod.yaml"),
        `master_key: ${KEY}\nproviders: ${providers}\ndeployments: ${deployments}\n`
      )
      const ran = yield* run(["check", "prod.yaml"], { cwd })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.match(ran.stdout, /openai\/gpt-4o-mini-tts .*serves speech$/m)
      assert.match(ran.stdout, /vllm\/llama .*serves .*chat/m)
      assert.match(
        ran.stdout,
        /^! prod\.yaml:2:\d+ providers\.vllm\.base_url: this address has no path; .* ends in \/v1/m
      )
      assert.match(
        ran.stdout,
        /^! prod\.yaml:3:15 deployments\[0\]: .*"gpt-5-miny" of openai; did you mean "gpt-5-mini"\?$/m
      )
      const both = yield* run(["check", "prod.yaml", "--config", "other.yaml"], { cwd })
      assert.deepStrictEqual([both.code, both.stderr], [1, "Name one file: prod.yaml, or --config other.yaml.\n"])
    })
  )

  it.effect("says all problems at once, one a line, with their places", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(
        join(cwd, "gateway.yaml"),
        "master_key: short\nproviders: { opnai: {} }\ndeployments: [openai/gpt-5]\nserver: { port: 70000 }\n"
      )
      const ran = yield* run(["check"], { cwd })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(ran.stdout, "")
      const lines = ran.stderr.trimEnd().split("\n")
      for (const place of ["gateway.yaml:1:13 master_key", "gateway.yaml:2:", "gateway.yaml:3:", "gateway.yaml:4:"]) {
        assert.isTrue(
          lines.some((line) => line.startsWith(place)),
          `${place} in\n${ran.stderr}`
        )
      }
      assert.notMatch(ran.stderr, /^\s+at /m)
    })
  )

  it.effect("tells how to get a file where there is none", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const ran = yield* run(["check"], { cwd })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(ran.stderr, "gateway.yaml: no such file; `model-gateway init` writes one to start from\n")
    })
  )

  it.effect("says by which model prompts are scored, and what is wrong with its file", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const config = (model: string) =>
        `master_key: ${KEY}\nproviders: { demo: }\ndeployments: [demo/mini]\nrouter: { model: ${model}, shadow: true }\n`
      writeFileSync(join(cwd, "gateway.yaml"), config("./my-router.json"))
      const missing = yield* run(["check"], { cwd })
      assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
      assert.match(missing.stderr, /^router\.model my-router\.json: no such file\n$/)
      writeFileSync(join(cwd, "my-router.json"), '{"format": "weights", "weights": []}')
      for (const command of ["check", "serve"]) {
        const foreign = yield* run([command], { cwd })
        assert.strictEqual(foreign.code, 1, command)
        assert.match(
          foreign.stderr,
          /^router\.model my-router\.json: `format` is "weights"; a model file of the router has/
        )
      }
      writeFileSync(join(cwd, "my-router.json"), encodeModelFile(defaultModel.file))
      const ran = yield* run(["check"], { cwd })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.match(ran.stdout, /^router +the model in my-router\.json \(.*\), shadow mode: decisions are recorded/m)
    })
  )
})
