import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, run } from "./Support.ts"

/** Wrong usage: exit code 2, nothing on stdout, each mistake a line on stderr and where to read on. */
const assertRefused = (args: ReadonlyArray<string>, expected: RegExp) =>
  Effect.gen(function* () {
    const ran = yield* run(args, { cwd: yield* folder })
    assert.strictEqual(ran.code, 2, `${args.join(" ")}: ${ran.stderr}`)
    assert.strictEqual(ran.stdout, "")
    assert.match(ran.stderr, expected)
    assert.match(ran.stderr, /\nSee: model-gateway.* --help\n$/)
    assert.notMatch(ran.stderr, /^\s+at /m)
  })

describe("wrong usage", () => {
  it.effect("unknown commands", () => assertRefused(["crate"], /^Unknown subcommand "crate"/))
  it.effect("unknown flags", () => assertRefused(["check", "--confg", "x"], /Unrecognized flag: --confg.*--config/))
  it.effect("flags without their value", () => assertRefused(["check", "--config"], /Missing value for flag --config/))
  it.effect("arguments too many", () => assertRefused(["check", "one"], /Unexpected positional argument: "one"/))
  it.effect("control characters come back harmless", () =>
    Effect.gen(function* () {
      const ran = yield* run(["\u001b[2J"], { cwd: yield* folder })
      assert.strictEqual(ran.code, 2)
      assert.match(ran.stderr, /^Unknown subcommand/)
      assert.notInclude(ran.stderr, "\u001b")
    })
  )
})

describe("the program itself", () => {
  it.effect("shows its commands where none is given", () =>
    Effect.gen(function* () {
      const ran = yield* run([], { cwd: yield* folder })
      assert.strictEqual(ran.code, 0)
      assert.match(ran.stdout, /init .*\n +check /)
    })
  )

  it.effect("tells its version", () =>
    Effect.gen(function* () {
      const ran = yield* run(["--version"], { cwd: yield* folder })
      assert.strictEqual(ran.code, 0)
      assert.match(ran.stdout, /^model-gateway \d+\.\d+\.\d+\n$/)
    })
  )

  it.effect("completes commands in shells", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      for (const shell of ["bash", "zsh", "fish"]) {
        const ran = yield* run(["--completions", shell], { cwd })
        assert.strictEqual(ran.code, 0)
        assert.include(ran.stdout, "check")
      }
    })
  )
})
