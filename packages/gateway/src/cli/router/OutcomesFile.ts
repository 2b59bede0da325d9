/** The outcomes file that a `router` command is given. */
import { Effect, FileSystem } from "effect"
import { describeProblem, type OutcomeRow, readOutcomes } from "../../router/Outcomes.ts"
import { CommandFailed } from "../Failure.ts"

/** More of them help nobody to put the file right. */
const MOST_SHOWN = 20

/** The rows of `file`, at least one. Fails with every row and field that is wrong; half a file is never used. */
export const outcomesIn = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<ReadonlyArray<OutcomeRow>, CommandFailed, FileSystem.FileSystem> {
  const text = yield* textOf(file)
  const { problems, rows } = readOutcomes(text)
  if (problems.length > 0) {
    const lines = problems.slice(0, MOST_SHOWN).map((problem) => `  ${describeProblem(problem)}`)
    const more = problems.length - lines.length
    return yield* new CommandFailed({
      message: [
        `${file} can't be used, ${problems.length === 1 ? "one thing is" : `${problems.length} things are`} wrong with it:`,
        ...lines,
        ...(more > 0 ? [`  … and ${more} more`] : [])
      ].join("\n")
    })
  }
  if (rows.length === 0) {
    return yield* new CommandFailed({
      message: `${file} has no rows; each line must be like {"prompt": "…", "outcomes": {"small": {"quality": 0.5, "cost_usd": 0.001}}}`
    })
  }
  return rows
})

/** The text of a file that a command was given. */
export const textOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem
    .readFileString(file)
    .pipe(
      Effect.mapError(({ reason }) =>
        reason._tag === "NotFound"
          ? new CommandFailed({ message: `${file}: no such file.` })
          : new CommandFailed({ message: `${file} can't be read: ${reason.message}` })
      )
    )
})
