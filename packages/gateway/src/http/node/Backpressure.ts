/**
 * Cuts off clients that stop reading. Node's socket timeout tells them from slow ones: it restarts whenever the kernel takes some
 * of the waiting bytes. No timer runs otherwise.
 */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"

/** Waits until the client has taken what was written, or is gone. A client that takes nothing for `stalledMs` is cut off. */
export const taken = (response: ServerResponse, stalledMs: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const onDrain = () => resume(Effect.andThen(stop, Effect.void))
    // From here on the caller counts as gone.
    const onTimeout = () =>
      resume(
        Effect.andThen(
          stop,
          Effect.sync(() => void response.destroy())
        )
      )
    const stop = Effect.sync(() =>
      response.off("drain", onDrain).off("close", onDrain).off("timeout", onTimeout).setTimeout(0)
    )
    response.on("drain", onDrain).on("close", onDrain).setTimeout(stalledMs, onTimeout)
    return stop
  })

/** Waits until an answer that was written to its end has left, or the client is gone. */
export const flushed = (response: ServerResponse): Effect.Effect<void> =>
  response.writableLength === 0
    ? Effect.void
    : Effect.callback((resume) => {
        const onClose = () => resume(Effect.void)
        response.on("close", onClose)
        return Effect.sync(() => void response.off("close", onClose))
      })

/** For an answer that was written to its end: cuts the connection if the client does not take the rest. */
export const cutIfStalled = (response: ServerResponse, stalledMs: number): void => {
  if (response.writableLength > 0) response.setTimeout(stalledMs, () => response.destroy())
}
