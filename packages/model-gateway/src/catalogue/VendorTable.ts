/** What is known of the vendors, for people: `docs/providers.md` and `model-gateway providers` say the same. */
import type { OperationName } from "@model-gateway/gateway/internal/core/domain/OperationName"
import type { VendorSetting } from "@model-gateway/gateway/internal/core/domain/ProviderOptions"
import type { Source, Standing, Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { operationsOf } from "@model-gateway/gateway/internal/providers/bridges/Bridge"
import { noLoad } from "@model-gateway/gateway/internal/core/pool/Transport"
import { Effect } from "effect"
import { shippedCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/Shipped"
import type { Registry } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"

export interface VendorRow {
  /** As in the configuration. */
  readonly name: string
  readonly title: string
  readonly standing: Standing
  readonly protocol: string
  /** `{name}` stands for a setting; undefined: set in the configuration. */
  readonly address: string | undefined
  /** How its requests are authenticated. */
  readonly auth: string
  /** The environment variable that usually holds the key. */
  readonly keyVariable: string | undefined
  readonly settings: ReadonlyArray<VendorSetting>
  /** What it has itself. */
  readonly native: ReadonlyArray<OperationName>
  /** What a bridge makes of that. */
  readonly bridged: ReadonlyArray<OperationName>
  /** Whether the catalogue has prices of its models. */
  readonly isPriced: boolean
  readonly notes: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Source>
}

export const vendorRow = (vendor: Vendor, { bridges, protocol }: Pick<Registry, "bridges" | "protocol">): VendorRow => {
  const { speaks } = protocol(vendor.protocol)
  const { serves = [...speaks.keys()] } = vendor
  const own = new Map([...speaks].filter(([operation]) => serves.includes(operation)))
  const all = operationsOf(own, bridges)
  return {
    name: vendor.name,
    title: vendor.title ?? vendor.name,
    standing: vendor.standing ?? "unverified",
    protocol: vendor.protocol,
    address: vendor.baseUrl === "" ? undefined : vendor.baseUrl,
    auth: authInWords(vendor),
    keyVariable: vendor.apiKeyVariable,
    settings: vendor.settings ?? [],
    native: [...own.keys()],
    bridged: [...all].filter((operation) => !own.has(operation)),
    isPriced: shippedCatalogue().prices(vendor.name) || vendor.prices !== undefined,
    notes: vendor.notes ?? [],
    sources: vendor.sources ?? []
  }
}

const KEY = "KEY"

/** The headers that a key makes, and what may take its place. */
const authInWords = ({ auth, settings = [] }: Vendor): string => {
  const instead = settings.flatMap(({ name, replacesKey }) => (replacesKey === true ? [`\`${name}\``] : []))
  const others = instead.length === 0 ? "" : `; instead of a key: ${instead.join(", ")}`
  const ready = auth.kind === "perProvider" ? auth.make(NOWHERE) : auth
  if (ready.kind === "perRequest") return `each request is signed, or gets a token${others}`
  const headers = Object.entries(ready.headers(KEY)).map(([name, value]) => `\`${name}: ${value}\``)
  return headers.length === 0 ? "none" : `${headers.join(", ")}${others}`
}

/** A provider with a key, for which nothing is ever sent. */
const NOWHERE: Parameters<Extract<Vendor["auth"], { readonly kind: "perProvider" }>["make"]>[0] = {
  options: { shown: {}, secret: {} },
  hasKeys: true,
  transport: { whole: () => Effect.never, open: () => Effect.never, load: () => noLoad }
}
