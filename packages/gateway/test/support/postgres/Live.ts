/** What talks to a server across a socket runs by the real clock: TestClock would let its time stand still. */
import { Clock, Effect } from "effect"

/** The one that every program has, unless a test gives it another. */
export const liveClock = Effect.runSync(Effect.service(Clock.Clock))

export const live = Effect.provideService(Clock.Clock, liveClock)
