import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "./Invoke.ts"

const groups = {
  keys: ["create", "list", "show", "update", "revoke", "rotate"],
  teams: ["show", "set"],
  deployments: ["list", "enable", "disable"],
  requests: ["list", "show"],
  router: ["explain", "export", "train", "eval", "diff"]
}
const commands = [
  ...["init", "check", "connect", "ready", "spend", "openapi"].map((name) => [name]),
  ...Object.entries(groups).flatMap(([group, names]) => [[group], ...names.map((name) => [group, name])])
]

/** `--key` is the id of a key here. */
const takesKeyId = (path: ReadonlyArray<string>) =>
  ["spend", "requests list", "router explain"].includes(path.join(" "))

/** Names of keys and of files, which anybody may read. */
const isNoSecret = (path: ReadonlyArray<string>, name: string) =>
  (takesKeyId(path) && name === "key") || name === "token-file"

const env = { GATEWAY_MASTER_KEY: "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E", OPENAI_API_KEY: "sk-of-the-environment" }

describe("--help", () => {
  for (const path of commands) {
    it.effect(path.join(" "), () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* invoke([...path, "--help"], env)
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.match(stdout, /^DESCRIPTION\n  \S/)
        assert.match(stdout, new RegExp(`\nEXAMPLES\n[^]*model-gateway ${path.join(" ")}`))
        for (const secret of Object.values(env)) assert.notInclude(stdout, secret)
      })
    )
  }

  it.effect("knows no flag for a secret", () =>
    Effect.gen(function* () {
      for (const path of commands) {
        const { stdout } = yield* invoke([...path, "--help"], env)
        const flags = Array.from(stdout.matchAll(/^ +--([a-z-]+)/gm), ([, name]) => name!)
        assert.deepStrictEqual(
          flags.filter((name) => /key|secret|token|password/.test(name) && !isNoSecret(path, name)),
          []
        )
      }
    })
  )

  it.effect("is what `help` before a command gives", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* invoke(["help", "keys", "create"], env)
      assert.deepStrictEqual([code, stdout], [0, (yield* invoke(["keys", "create", "--help"], env)).stdout])
      assert.strictEqual((yield* invoke(["help"], env)).stdout, (yield* invoke(["--help"], env)).stdout)
    })
  )
})

describe("a hint", () => {
  it.effect("names the command that works where it is read", () =>
    Effect.gen(function* () {
      const hintIn = (variables: Readonly<Record<string, string>>) =>
        Effect.map(invoke(["check", "--config", "/nowhere.yaml"], variables), ({ stderr }) => stderr)
      assert.include(yield* hintIn({}), "`model-gateway init`")
      assert.include(yield* hintIn({ npm_lifecycle_event: "gateway" }), "`npm run gateway -- init`")
      assert.include(yield* hintIn({ npm_command: "exec" }), "`npx model-gateway init`")
      const helpIn = (args: ReadonlyArray<string>) =>
        Effect.map(invoke(args, { npm_lifecycle_event: "gateway" }), ({ stderr }) => stderr)
      assert.match(yield* helpIn(["nonsense"]), /\nSee: npm run gateway -- --help\n$/)
      assert.match(yield* helpIn(["requests", "shw"]), /\nSee: npm run gateway -- requests --help\n$/)
      assert.match(yield* helpIn(["keys"]), /\nSee: npm run gateway -- keys --help\n$/)
    })
  )
})
