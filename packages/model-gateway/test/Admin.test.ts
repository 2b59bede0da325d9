import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { adminStub } from "./AdminStub.ts"
import { folder, run } from "./Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
const answers = { "GET /admin/deployments": { body: { object: "list", data: [] } } }

describe("admin commands as users run them", () => {
  it.effect("take address and master key from the folder's gateway.yaml", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const stub = yield* adminStub(answers)
      // What the gateway itself would miss (the provider's key) does not matter here.
      const providers = 'providers: { openai: { api_key: "${OPENAI_API_KEY}" } }'
      writeFileSync(join(cwd, "gateway.yaml"), `master_key: ${KEY}\nserver: { port: ${stub.port} }\n${providers}\n`)
      const ran = yield* run(["deployments", "list"], { cwd })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.match(ran.stdout, /^ID /)
      assert.strictEqual(stub.asked[0]?.authorization, `Bearer ${KEY}`)
    })
  )

  it.effect("take the master key of a demo from its data folder", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const stub = yield* adminStub(answers)
      mkdirSync(join(cwd, ".model-gateway"))
      writeFileSync(join(cwd, ".model-gateway", "master-key"), `${KEY}\n`)
      const ran = yield* run(["deployments", "list", "--json"], { cwd, env: { GATEWAY_URL: stub.url } })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(JSON.parse(ran.stdout), { object: "list", data: [] })
      assert.strictEqual(stub.asked[0]?.authorization, `Bearer ${KEY}`)
    })
  )

  it.effect("end with one line and exit code 1 where no gateway runs", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      // A port that was free a moment ago.
      const { url } = yield* Effect.scoped(adminStub({}))
      const ran = yield* run(["keys", "list"], { cwd, env: { GATEWAY_URL: url, GATEWAY_MASTER_KEY: KEY } })
      assert.deepStrictEqual(ran, {
        code: 1,
        stdout: "",
        stderr: `nothing responds at ${url}: is the gateway running? (model-gateway serve)\n`
      })
    })
  )

  it.effect("say which key was refused", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const error = { type: "authentication_error", message: "Wrong key.", param: null, code: "invalid_api_key" }
      const stub = yield* adminStub({ "GET /admin/spend": { status: 401, body: { error } } })
      const ran = yield* run(["spend"], { cwd, env: { GATEWAY_URL: stub.url, GATEWAY_MASTER_KEY: KEY } })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(
        ran.stderr,
        `${stub.url} does not know the credential, which was taken from the environment variable GATEWAY_MASTER_KEY: Wrong key.\n`
      )
    })
  )

  it.effect("need a command of their group", () =>
    Effect.gen(function* () {
      const ran = yield* run(["keys"], { cwd: yield* folder })
      assert.strictEqual(ran.code, 2)
      assert.strictEqual(ran.stdout, "")
      assert.match(ran.stderr, /^model-gateway keys needs a subcommand: create, list, show, /)
    })
  )
})
