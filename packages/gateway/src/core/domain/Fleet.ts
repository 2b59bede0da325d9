/** The configured deployments and routes, resolved. */
import { Context } from "effect"
import type { Deployment } from "./Deployment.ts"
import type { CacheSettings } from "./Cache.ts"
import type { GuardrailSettings } from "./Guardrail.ts"
import type { AliasRule, FailoverSettings, RouterSettings } from "./Settings.ts"

/** They stay the same: another configuration is another fleet, with a pool, a router and a gateway of its own. */
export class Fleet extends Context.Service<
  Fleet,
  {
    readonly deployments: ReadonlyArray<Deployment>
    /** Alias → deployment ids, in order. */
    readonly aliases: ReadonlyMap<string, ReadonlyArray<string>>
    /** Left out: no alias has any. */
    readonly aliasRules?: ReadonlyMap<string, AliasRule>
    /** By the id of a wildcard: the deployment of one of its models, by what its `*` stands for. Left out: there is no wildcard. */
    readonly wildcards?: ReadonlyMap<string, (star: string) => Deployment>
    readonly router: RouterSettings
    readonly failover: FailoverSettings
    readonly guardrails?: GuardrailSettings | undefined
    /** Left out: `defaultCache`. */
    readonly cache?: CacheSettings | undefined
  }
>()("gateway/core/Fleet") {}

/** For whatever outlives a fleet. */
export class FleetInForce extends Context.Service<
  FleetInForce,
  {
    /** `listener` gets the present fleet now, and each that takes its place. */
    readonly follow: (listener: (fleet: Fleet["Service"]) => void) => void
  }
>()("gateway/core/FleetInForce") {}
