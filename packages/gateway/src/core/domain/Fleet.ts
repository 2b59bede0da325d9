/** The configured deployments and routes, resolved. They stay the same for as long as the process runs. */
import { Context } from "effect"
import type { Deployment } from "./Deployment.ts"
import type { FailoverSettings, RouterSettings } from "./Settings.ts"

export class Fleet extends Context.Service<
  Fleet,
  {
    readonly deployments: ReadonlyArray<Deployment>
    /** Alias → deployment ids, in order. */
    readonly aliases: ReadonlyMap<string, ReadonlyArray<string>>
    readonly router: RouterSettings
    readonly failover: FailoverSettings
  }
>()("gateway/core/Fleet") {}
