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
  group(
    {
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
    },
    {
      server: "How the gateway listens, and the sizes and times that it accepts.",
      master_key: "The administrator's key: at least 32 random characters.",
      store: "Where the ledger, keys and receipts are stored.",
      receipts: "How long receipts are kept.",
      responses: "Stored responses; see [stored responses](stored-responses.md).",
      idempotency:
        "Responses kept for a repeated `Idempotency-Key`; see [repeated requests](operations.md#repeated-requests).",
      providers: "The providers, by names of your own.",
      deployments: [
        "The models that the gateway may call, each as a group or as `<provider>/<model>`.",
        "the models named in `models` and `router`"
      ],
      models: "Additional names for callers. `*` matches any characters.",
      router: 'The buckets of `model: "auto"`; see [routing](routing.md).',
      failover: "Retries, failover and sessions.",
      guardrails: "Checks of requests and responses; see [guardrails](guardrails.md).",
      cache: "Responses that equal requests get again; see [response cache](cache.md).",
      content: "What of prompts and responses is logged, and where; see [content logs](content-logs.md).",
      catalogue: "Facts about models, in addition to the catalogue that ships.",
      alerts: "Messages about budgets, circuits, errors and the store; see [alerts](admin.md#alerts).",
      identity: ["How people sign in; see [sign-in](sign-in.md).", "only the master key signs in"],
      logs: "Log lines on stderr."
    }
  )
