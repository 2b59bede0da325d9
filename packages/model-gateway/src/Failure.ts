/** How a command ends when it does not work out: what the user reads on stderr and the exit code. */
import { Cause, Console, Effect, type Exit, Option, Schema } from "effect"
import { CliError } from "effect/cli"
import { asCalled } from "./Environment.ts"
import { ConfigInvalid } from "@model-gateway/gateway/internal/config/Problem"

/** An error that the user can fix. `message` goes to stderr unchanged: a sentence that says what is wrong and how to fix it. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
  /** The HTTP status, if a gateway refused the request. */
  status: Schema.optionalKey(Schema.Int)
}) {}

/** The command line itself is wrong, which only shows once other things are known, too. */
export const wrongUsage = (message: string) => new CliError.ValidationError({ message })

export const exitCodes = { done: 0, fixable: 1, wrongUsage: 2, interrupted: 130 }

/** For `NodeRuntime.runMain`. */
export const exitCodeOf = <A, E>(exit: Exit.Exit<A, E>): number => {
  if (exit._tag === "Success") return exitCodes.done
  // A server that a signal stopped has set its own exit code.
  if (Cause.hasInterruptsOnly(exit.cause)) return Number(process.exitCode ?? exitCodes.interrupted)
  const error = Cause.squash(exit.cause)
  if (!CliError.isCliError(error)) return exitCodes.fixable
  // No command at all is no mistake: what there is gets listed.
  const isOverview = error._tag === "ShowHelp" && error.errors.length === 0 && error.commandPath.length === 1
  return isOverview ? exitCodes.done : exitCodes.wrongUsage
}

/** Prints on stderr why a command failed; nothing if it was interrupted or the presenter has printed it already. */
export const report = (cause: Cause.Cause<unknown>, version: string): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const expected = Option.filter(Cause.findErrorOption(cause), isExpected)
  return Option.match(expected, {
    onNone: () => Console.error(bugReport(cause, version)),
    onSome: (error) =>
      error._tag === "ShowHelp" ? Effect.void : Effect.flatMap(asCalled(error.message), Console.error)
  })
}

const isExpected = (error: unknown): error is CommandFailed | ConfigInvalid | CliError.CliError =>
  Schema.is(CommandFailed)(error) || Schema.is(ConfigInvalid)(error) || CliError.isCliError(error)

const bugReport = (cause: Cause.Cause<unknown>, version: string): string =>
  [
    "model-gateway has an internal error; please report it with these details:",
    `model-gateway ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    Cause.pretty(cause)
  ].join("\n")
