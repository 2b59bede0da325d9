/** Who performs an administrative action. */
import { Context } from "effect"

export interface Actor {
  readonly kind: "master_key" | "session" | "sign_in_link" | "command_line"
  /** The session's id; else the kind. */
  readonly id: string
  /** Where the request came from; "" where that has no address. */
  readonly address: string
}

/** The administrator whose request this is. Every handler under `/admin` has one. */
export const CurrentActor = Context.Reference<Actor>("gateway/core/CurrentActor", {
  defaultValue: () => ({ kind: "master_key", id: "master_key", address: "" })
})
