import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "./Invoke.ts"
import { folder, run } from "./Support.ts"

/** Wrong usage: exit code 2, nothing on stdout, each mistake a line on stderr and where to read on. */
const assertRefused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, expected: RegExp) {
  const ran = yield* invoke(args, {})
  assert.strictEqual(ran.code, 2, `${args.join(" ")}: ${ran.stderr}`)
  assert.strictEqual(ran.stdout, "")
  assert.match(ran.stderr, expected)
  assert.match(ran.stderr, /\nSee: model-gateway.* --help\n$/)
  assert.notMatch(ran.stderr, /^\s+at /m)
  return ran.stderr
})

describe("wrong usage", () => {
  it.effect("unknown commands", () => assertRefused(["crate"], /^There is no command model-gateway crate\./))
  it.effect("unknown flags", () =>
    assertRefused(["check", "--confg", "x"], /^There is no flag --confg of .*check\. Did you mean --config\?\n/)
  )
  it.effect("flags without their value", () => assertRefused(["check", "--config"], /--config/))
  it.effect("arguments too many", () => assertRefused(["check", "one", "two"], /Unexpected positional argument: "two"/))
  it.effect("arguments missing", () => assertRefused(["keys", "show"], /^Missing required argument: id/))
  it.effect("a group without its command", () =>
    assertRefused(["keys"], /^model-gateway keys .*: create, list, show, /)
  )

  it.effect("values that a flag does not take, with those that it takes", () =>
    Effect.gen(function* () {
      for (const command of ["demo", "serve"]) {
        yield* assertRefused(
          [command, "--port", "99999"],
          /^--port takes a whole number from 0 to 65535, not "99999"\.\n/
        )
      }
      yield* assertRefused(["demo", "--port", "x"], /^--port takes a (whole )?number, not "x"\.\n/)
      yield* assertRefused(["spend", "--by", "foo"], /^--by takes key, team, .* or month, not "foo"\.\n/)
      yield* assertRefused(
        ["keys", "list", "--limit", "5000"],
        /^--limit takes a whole number from 1 to 1000, not "5000"/
      )
    })
  )

  it.effect("a value that begins like a flag is one mistake, not one for each letter", () =>
    Effect.gen(function* () {
      const said = yield* assertRefused(
        ["keys", "create", "--budget", "-5/day"],
        /^--budget takes .*, not "-5\/day"\.\n/
      )
      assert.lengthOf(said.trimEnd().split("\n"), 2)
    })
  )

  it.effect("help for a command that there is not", () =>
    Effect.gen(function* () {
      yield* assertRefused(["help", "crate"], /^There is no command model-gateway crate\./)
      yield* assertRefused(
        ["help", "keys", "crate"],
        /^There is no command model-gateway keys crate\. Did you mean create\?/
      )
    })
  )

  it.effect("every mistake is said, one a line", () =>
    Effect.gen(function* () {
      const said = yield* assertRefused(
        ["check", "one", "two", "--confg"],
        /Unexpected positional argument|There is no flag/
      )
      assert.isAtLeast(said.trimEnd().split("\n").length, 2)
    })
  )

  it.effect("control characters come back harmless", () =>
    Effect.gen(function* () {
      const said = yield* assertRefused(["\u001b[2J\nsudo"], /^There is no command/)
      assert.notInclude(said, "\u001b")
    })
  )

  it.effect("ends a process with exit code 2", () =>
    Effect.gen(function* () {
      const ran = yield* run(["chek"], { cwd: yield* folder })
      assert.deepStrictEqual([ran.code, ran.stdout], [2, ""])
      assert.match(
        ran.stderr,
        /^There is no command model-gateway chek\. Did you mean check\?\nSee: model-gateway --help\n$/
      )
    })
  )
})

describe("the program itself", () => {
  it.effect("shows its commands where none is given, without colour in a pipe", () =>
    Effect.gen(function* () {
      const ran = yield* run([], { cwd: yield* folder })
      assert.strictEqual(ran.code, 0)
      assert.match(ran.stdout, /\n {2}init .*\n {2}check /)
      assert.notInclude(ran.stdout, "\u001b")
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
      for (const shell of ["bash", "zsh", "fish", "powershell"]) {
        const { code, stdout } = yield* invoke(["--completions", shell], {})
        assert.strictEqual(code, 0)
        for (const word of ["check", "deployments", "max-parallel"]) assert.include(stdout, word, shell)
      }
    })
  )

  it.effect("prints a description of the API that holds every admin path", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* invoke(["openapi"], {})
      assert.strictEqual(code, 0)
      const { openapi, paths } = JSON.parse(stdout) as { openapi: string; paths: Record<string, object> }
      assert.match(openapi, /^3\.1\./)
      const expected = [
        "/v1/chat/completions",
        "/admin/keys",
        "/admin/keys/{id}",
        "/admin/deployments/disable",
        "/admin/spend"
      ]
      assert.includeMembers(Object.keys(paths), expected)
    })
  )
})
