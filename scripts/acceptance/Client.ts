/** What a client is to the acceptance run: where it comes from, what it needs, and how it is tried. */
import type { Effect, Scope } from "effect"
import type { Installation } from "./Install.ts"
import type { Checks } from "./Checks.ts"
import type { DidNotStart } from "../../packages/gateway/test/support/GatewayProcess.ts"
import type { Need } from "./Needs.ts"

/** Everything a client is given. */
export interface Room {
  /** Where it is installed. */
  readonly folder: string
  /** Empty, and gone when the run is over: a home folder, a working folder. */
  readonly scratch: string
  /** Those of the client's parts that were chosen. */
  readonly parts: ReadonlyArray<string>
  readonly checks: Checks
}

export interface Client {
  readonly name: string
  /** Of the package that is tried. */
  readonly version: string
  /** What the machine must have; where it is missing, the client is skipped. */
  readonly needs: ReadonlyArray<Need>
  readonly install: Installation
  /** A command below its folder that succeeds where the package has a program for this machine. */
  readonly starts?: ReadonlyArray<string>
  /** What is tried, by name, so that one can be chosen. */
  readonly parts: ReadonlyArray<string>
  readonly run: (room: Room) => Effect.Effect<void, DidNotStart, Scope.Scope>
}
