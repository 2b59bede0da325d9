/** What the descriptions of all endpoints under `/admin` have in common. */
import { Context } from "effect"
import { type Access, EndpointAccess } from "../../Access.ts"
import { documented, type FailureStatus } from "../../Documented.ts"

/** Whatever is asked for under `/admin` may fail so. */
const always = [400, 401, 403, 429, 500, 503] as const

type Description = Parameters<typeof documented>[0]

/** `access`: who may call it; `public` needs no credential. `failures`: those beside the ones that every endpoint here may have. */
export const administrative = ({
  access,
  failures = [],
  ...rest
}: Omit<Description, "failures" | "extensions"> & {
  readonly access: Access | "public"
  readonly failures?: ReadonlyArray<FailureStatus>
}) =>
  Context.add(
    documented({ ...rest, failures: [...always, ...failures], extensions: { "x-gateway-access": access } }),
    EndpointAccess,
    access
  )

/** Data of keys, teams and people, by the roles that see it. */
export const reading = (action: string): Access => ({
  action,
  effect: "read",
  admin: "all",
  viewer: "all",
  team_admin: "team",
  member: "own"
})

/** What signed-in people do with what is their own, whatever their roles. */
export const owning = (action: string, effect: Access["effect"]): Access => ({
  action,
  effect,
  admin: "own",
  viewer: "own",
  team_admin: "own",
  member: "own",
  people_only: true
})

/** What only global roles see: the configuration, deployments, nodes. */
export const readingOperations = (action: string): Access => ({ action, effect: "read", admin: "all", viewer: "all" })

export const operating = (action: string): Access => ({ action, effect: "write", admin: "all" })

/** `limit` of a list that comes in pages. */
export const pageLimit = (what: string) => ({
  type: "integer",
  minimum: 1,
  maximum: 1000,
  description: `${what} per page. Default: 100.`
})
