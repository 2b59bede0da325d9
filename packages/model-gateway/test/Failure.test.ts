import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { CliError } from "effect/cli"
import { TestConsole } from "effect/testing"
import { CommandFailed, exitCodeOf, report, wrongUsage } from "../src/Failure.ts"
import { ConfigInvalid, Report, wholeFile } from "../../gateway/src/config/Problem.ts"

const problems = (...messages: ReadonlyArray<string>): ConfigInvalid => {
  const found = new Report("gateway.yaml")
  for (const message of messages) found.add(wholeFile, "", { found: "a", allowed: "b", message })
  return found.invalid()
}

/** Lines on stderr. */
const said = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  yield* report(cause, "1.2.3")
  return (yield* TestConsole.errorLines).join("\n").split("\n")
})

describe("what is said when a command fails", () => {
  it.effect("the sentence, where the user can fix it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(Cause.fail(new CommandFailed({ message: "Do this." }))), ["Do this."])
    })
  )

  it.effect("a line for each problem of a configuration", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(Cause.fail(problems("one", "two"))), [
        "gateway.yaml: one",
        "gateway.yaml: two"
      ])
    })
  )

  it.effect("nothing where it was said, or where the user stopped it", () =>
    Effect.gen(function* () {
      yield* report(Cause.fail(new CliError.ShowHelp({ commandPath: ["a"], errors: [] })), "1.2.3")
      yield* report(Cause.interrupt(1), "1.2.3")
      assert.deepStrictEqual(yield* TestConsole.errorLines, [])
    })
  )

  it.effect("a mistake of the program asks to be reported, with what that takes", () =>
    Effect.gen(function* () {
      for (const cause of [Cause.die(new TypeError("x is undefined")), Cause.fail(new Error("x is undefined"))]) {
        const [first, second, ...details] = yield* said(cause)
        assert.match(first ?? "", /report it/)
        assert.match(second ?? "", /^model-gateway 1\.2\.3, Node \d+\.\d+\.\d+, /)
        assert.match(details.join("\n"), /x is undefined\n +at .*Failure\.test\.ts/)
      }
    })
  )
})

describe("exit codes", () => {
  it("0 done, 1 fixable, 2 wrong usage, 130 interrupted", () => {
    const help = (commandPath: Array<string>, errors: Array<CliError.NonShowHelpErrors> = []) =>
      Exit.fail(new CliError.ShowHelp({ commandPath, errors }))
    assert.strictEqual(exitCodeOf(Exit.succeed(1)), 0)
    assert.strictEqual(exitCodeOf(help(["model-gateway"])), 0)
    assert.strictEqual(exitCodeOf(Exit.fail(new CommandFailed({ message: "" }))), 1)
    assert.strictEqual(exitCodeOf(Exit.fail(problems("one"))), 1)
    assert.strictEqual(exitCodeOf(Exit.die("bug")), 1)
    assert.strictEqual(exitCodeOf(Exit.fail(wrongUsage("no"))), 2)
    assert.strictEqual(exitCodeOf(help(["model-gateway", "keys"])), 2)
    assert.strictEqual(exitCodeOf(help(["model-gateway"], [wrongUsage("no")])), 2)
    assert.strictEqual(exitCodeOf(Exit.interrupt(1)), 130)
  })
})
