/** Long outputs: what a command writes for other programs, as it becomes known. */
import { Effect, type PlatformError, Stdio, Stream } from "effect"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import { CommandFailed } from "../Failure.ts"

/** Writes all of it to stdout. A reader that has seen enough ends it, and that is well. */
export const writeOut = Effect.fnUntraced(function* <R>(text: Stream.Stream<string, StoreUnavailable, R>) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.run(text, stdio.stdout({ endOnDone: false })).pipe(
    Effect.catchTag("PlatformError", (error) =>
      isClosedPipe(error) ? Effect.void : Effect.fail(new CommandFailed({ message: unwritable(error) }))
    )
  )
})

const isClosedPipe = ({ reason }: PlatformError.PlatformError): boolean =>
  (reason.cause as NodeJS.ErrnoException | undefined)?.code === "EPIPE"

const unwritable = ({ reason }: PlatformError.PlatformError): string => {
  const { message } = (reason.cause ?? reason) as Error
  return `The rows can't be written: ${message}.`
}
