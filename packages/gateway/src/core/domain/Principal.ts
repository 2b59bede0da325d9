/** Who calls `/admin`, and what of its data the call may see. */
import { Context } from "effect"
import type { Actor } from "./Actor.ts"

export type GlobalRole = "admin" | "viewer"
export type TeamRole = "admin" | "member"

/** What decides about the calls of a principal. */
export interface Roles {
  /** Null: only the roles in teams count. */
  readonly role: GlobalRole | null
  readonly teams: ReadonlyMap<string, TeamRole>
}

export interface Principal extends Roles {
  readonly actor: Actor
  /** The person who signed in; null: the master key, a session that it opened, or a service token. */
  readonly user: string | null
  /** The session that the request came with. */
  readonly session: string | null
}

/** The part of the data that a call may see: all, or that of some teams and of one person. */
export type Visibility =
  | "all"
  | {
      readonly teams: ReadonlyArray<string>
      /** The id of a person; null: none. */
      readonly owner: string | null
      /** The ids of the person's keys. Left out: none. */
      readonly keys?: ReadonlyArray<string>
    }

/** Whether something that belongs to a team, or to none, may be seen. */
export const seesTeam = (visibility: Visibility, team: string | null): boolean =>
  visibility === "all" || (team !== null && visibility.teams.includes(team))

/** Whether data of a key may be seen: that of its team, or of one's own key. `id`: undefined where it is not known. */
export const seesKey = (visibility: Visibility, id: string | undefined, team: string | null): boolean =>
  seesTeam(visibility, team) || (visibility !== "all" && id !== undefined && visibility.keys?.includes(id) === true)

export const masterPrincipal = (actor: Actor, session: string | null = null): Principal => ({
  actor,
  role: "admin",
  teams: new Map(),
  user: null,
  session
})

/** The principal of the present request under `/admin`, with what this endpoint may show it. Without authorization it sees nothing. */
export const CurrentPrincipal = Context.Reference<Principal & { readonly visibility: Visibility }>(
  "gateway/core/CurrentPrincipal",
  {
    defaultValue: () => ({
      actor: { kind: "master_key", id: "master_key", address: "" },
      role: null,
      teams: new Map(),
      user: null,
      session: null,
      visibility: { teams: [], owner: null }
    })
  }
)
