/** The configuration file as a schema. The file itself says which names some fields may hold: `NamesOfFile` are read before. */
import { Schema } from "effect"
import type { KnownVendor } from "../core/domain/Settings.ts"
import type { Here } from "./Here.ts"
import { howToMakeOne, masterKey } from "./MasterKeyRules.ts"
import { Alerts } from "./sections/AlertsSection.ts"
import { Catalogue } from "./sections/CatalogueSection.ts"
import { deploymentsOf } from "./sections/DeploymentsSection.ts"
import { Identity } from "./sections/IdentitySection.ts"
import { Models } from "./sections/ModelsSection.ts"
import { providersIn, providersOf } from "./sections/ProvidersSection.ts"
import { Cache, Idempotency, Responses } from "./sections/ResponsesSection.ts"
import { type Bucket, bucketsIn, routerOf } from "./sections/RouterSection.ts"
import { Failover } from "./sections/FailoverSection.ts"
import { Content } from "./sections/ContentSection.ts"
import { Guardrails } from "./sections/GuardrailsSection.ts"
import { Logs, Receipts, Server, Store } from "./sections/ServerSection.ts"
import { group, or, orEmpty, required } from "./SettingValues.ts"

interface NamesOfFile {
  readonly providers: ReadonlyArray<string>
  /** Undefined where there are none. */
  readonly buckets: ReadonlyArray<Bucket> | undefined
}

/** Whatever else is wrong with what they name. */
export const namesOfFile = (root: Here): NamesOfFile => ({
  providers: providersIn(root.field("providers")),
  buckets: bucketsIn(root.field("router"))
})

export const configFile = ({ buckets, providers }: NamesOfFile, vendors: ReadonlyArray<KnownVendor>) =>
  group({
    server: Server.pipe(orEmpty),
    master_key: required(`a key for the administrators; ${howToMakeOne}`, masterKey),
    store: Store.pipe(orEmpty),
    receipts: Receipts.pipe(orEmpty),
    responses: Responses.pipe(orEmpty),
    idempotency: Idempotency.pipe(orEmpty),
    providers: required("whom to call, e.g. openai: { api_key: ... }", providersOf(vendors)),
    /** It may be left out where the names of models and buckets say it all. */
    deployments: Schema.optionalKey(deploymentsOf(providers)),
    models: Models.pipe(orEmpty),
    router: routerOf(buckets).pipe(orEmpty),
    failover: Failover.pipe(orEmpty),
    guardrails: Guardrails.pipe(orEmpty),
    cache: Cache.pipe(orEmpty),
    content: Content.pipe(orEmpty),
    catalogue: Catalogue.pipe(orEmpty),
    alerts: Alerts.pipe(or([])),
    identity: Schema.optionalKey(Identity),
    logs: Logs.pipe(orEmpty)
  })
