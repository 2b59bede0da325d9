/** Who may call an endpoint of `/admin`. Each endpoint declares it, and the gateway's `decide` is the only reader. */
import { Context } from "effect"

/**
 * What of the endpoint's data a role reaches: `all`; `team`: data of the teams in which the principal has the role; `own`: data of the
 * signed-in person.
 */
export type Reach = "all" | "team" | "own"

/** A role that is left out may not call the endpoint. `admin` and `viewer` are global; `team_admin` and `member` are roles in a team. */
export interface Access {
  /** Names the endpoint in refusals: `keys.update`. */
  readonly action: string
  readonly effect: "read" | "write"
  readonly admin?: "all" | "own"
  readonly viewer?: "all" | "own"
  readonly team_admin?: Reach
  /** Also what a person reaches who has no role. */
  readonly member?: "team" | "own"
  /** Refused to service tokens. */
  readonly people_only?: true
}

/** The annotation of an endpoint. Without it nobody may call the endpoint. */
export const EndpointAccess = Context.Reference<Access | "public">("model-gateway/protocol/EndpointAccess", {
  defaultValue: () => ({ action: "undeclared", effect: "write" })
})
