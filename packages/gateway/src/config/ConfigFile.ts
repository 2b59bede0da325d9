/**
 * The configuration file as a schema. The file itself says which names some fields may hold: `NamesOfFile` are read before.
 */
import { Schema } from "effect"
import type { KnownVendor } from "../core/domain/Settings.ts"
import type { Here } from "./Here.ts"
import { howToMakeOne, masterKey } from "./MasterKey.ts"
import { Alerts } from "./sections/Alerts.ts"
import { Catalogue } from "./sections/Catalogue.ts"
import { deploymentsOf } from "./sections/Deployments.ts"
import { Models } from "./sections/Models.ts"
import { providersIn, providersOf } from "./sections/Providers.ts"
import { Idempotency, Responses } from "./sections/Responses.ts"
import { type Bucket, bucketsIn, routerOf } from "./sections/Router.ts"
import { Failover, Logs, Receipts, Server, Store } from "./sections/Server.ts"
import { group, or, orEmpty, required } from "./Values.ts"

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
    catalogue: Catalogue.pipe(orEmpty),
    alerts: Alerts.pipe(or([])),
    logs: Logs.pipe(orEmpty)
  })
