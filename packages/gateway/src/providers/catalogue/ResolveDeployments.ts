/**
 * Resolves settings to deployments: capabilities, sizes and prices of each. The configuration wins over the model catalogue, and
 * the catalogue over the known model families.
 */
import type { BoundRules, ConfiguredBounds } from "../../core/domain/pricing/BoundRules.ts"
import type { Capability, Deployment, Timeouts } from "../../core/domain/Deployment.ts"
import type { VendorAddress, Vendor } from "../../core/pool/Vendor.ts"
import type { Facts } from "../../core/domain/models/Facts.ts"
import type { ModelFacts } from "../../core/domain/models/ModelFacts.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { noOptions, type ProviderOptions } from "../../core/domain/ProviderOptions.ts"
import type { DeploymentSettings, ProviderSettings, Settings } from "../../core/domain/Settings.ts"
import { withFacts } from "./FactCapabilities.ts"
import { chatQuirks } from "./ChatQuirks.ts"
import { routesOf } from "./CompileRules.ts"
import type { Catalogue } from "./facts/CatalogueInForce.ts"
import { shippedCatalogue } from "./facts/Shipped.ts"
import { registryOf } from "./ProviderRegistry.ts"
import { catalogueSheet } from "../prices/CataloguePrices.ts"
import { sheetFromConfig } from "../prices/ConfiguredPrices.ts"
import { factOf, without } from "../vendors/Families.ts"
import { OpenAiCompatible } from "../vendors/CompatibleVendors.ts"
import { compatibleVendor } from "../vendors/Vendors.ts"

export const resolveDeployments = (
  settings: Pick<Settings, "providers" | "deployments">,
  vendors: Vendors = registryOf().vendors,
  catalogue: Catalogue = shippedCatalogue()
): ReadonlyArray<Deployment> => {
  const providers = new Map(settings.providers.map((provider) => [provider.name, provider]))
  return settings.deployments.flatMap((deployment) => {
    const provider = providers.get(deployment.provider)
    return provider === undefined ? [] : [resolved(deployment, provider, vendorOf(provider, vendors), catalogue)]
  })
}

/** The models of each deployment whose model has a `*`. */
export const resolveWildcards = (
  settings: Pick<Settings, "providers" | "deployments">,
  wildcards: ReadonlyArray<Deployment>,
  vendors: Vendors = registryOf().vendors,
  catalogue: Catalogue = shippedCatalogue()
): ReadonlyMap<string, (star: string) => Deployment> =>
  new Map(
    wildcards.flatMap((wildcard) => {
      const own = settings.deployments.find(({ id }) => id === wildcard.id)
      const provider = settings.providers.find(({ name }) => name === wildcard.provider)
      if (own === undefined || provider === undefined) return []
      const vendor = vendorOf(provider, vendors)
      const modelOf = (star: string): Deployment => {
        const model = own.model.replace("*", () => star)
        return { ...resolved({ ...own, model }, provider, vendor, catalogue), wildcard }
      }
      return [[wildcard.id, modelOf] as const]
    })
  )

type Vendors = ReadonlyMap<string, Vendor>

const resolved = (
  settings: DeploymentSettings,
  provider: ProviderSettings,
  vendor: Vendor,
  catalogue: Catalogue
): Deployment => {
  const { model } = settings
  const base = settings.baseModel ?? model
  const { facts, learnt = {}, resold } = catalogue.find(vendor.name, base)
  const isMakers = resold === undefined || resold.sameApi === true || resold.of === vendor.name
  const address = addressOf(model, provider, vendor, facts)
  const { endpoints, operations } = withEndpoints(settings, vendor, provider, address.baseUrl, facts)
  // What a call showed holds where it was called.
  const ruling = isMakers ? facts : learnt
  const quirks = quirksOf(settings, vendor, provider, facts, ruling, operations)
  const { limits = {} } = facts
  return {
    id: settings.id,
    provider: provider.name,
    vendor: vendor.name,
    protocol: protocolOf(provider, vendor, base, facts),
    model,
    baseModel: settings.baseModel,
    ...address,
    options: provider.options,
    apiKeys: provider.apiKeys,
    price:
      settings.price === undefined
        ? (vendor.prices?.(base, provider.options) ?? catalogueSheet(catalogue, vendor.name, base, provider.options))
        : sheetFromConfig(settings.price),
    contextWindow: settings.contextWindow ?? limits.context ?? factOf(vendor, base, "contextWindow"),
    maxOutputTokens: settings.maxOutputTokens ?? limits.maxOutput ?? factOf(vendor, base, "maxOutput"),
    assumedMaxOutput: settings.maxOutputTokens ?? limits.assumedOutput ?? factOf(vendor, base, "assumedMaxOutput"),
    bounds: boundsOf(settings, vendor, facts),
    facts,
    supports: supportsOf(settings, vendor, facts, isMakers, operations, quirks),
    operations,
    endpoints,
    routes: routesOf(ruling, operations),
    billsAfterDisconnect: provider.billsAfterDisconnect ?? vendor.billsAfterDisconnect ?? "none",
    hidesReasoning: hidesReasoning(vendor, base, facts),
    inlineImages: settings.inlineImages ?? inlineImages(vendor, base, facts),
    refusesPrivateMedia: vendor.isSelfHosted === true && settings.inlineImages !== false,
    mediaHosts: settings.mediaHosts,
    quirks,
    assumedRate: vendor.assumedRate,
    serviceTier: settings.serviceTier,
    callerBilling: settings.callerBilling,
    presets: settings.presets,
    region: settings.region,
    zdr: settings.zdr,
    weight: settings.weight,
    priority: settings.priority,
    maxInFlight: settings.maxInFlight,
    maxConnections: provider.maxConnections,
    connection: provider.connection,
    timeouts: timeoutsOf(settings, vendor, facts)
  }
}

const inlineImages = ({ inlineImages: said = false }: Vendor, model: string, facts: ModelFacts): boolean =>
  typeof said === "boolean" ? said : said(model, facts)

/** A protocol that the operator names holds for all models. */
const protocolOf = (
  { protocol }: ProviderSettings,
  vendor: Vendor,
  model: string,
  facts: ModelFacts
): Deployment["protocol"] => (protocol === vendor.protocol ? (vendor.protocolOf?.(model, facts) ?? protocol) : protocol)

/** Where it is: as the provider's configuration says, else as its vendor's file does. */
const addressOf = (
  model: string,
  { baseUrl: configured, name, options = noOptions, protocol }: ProviderSettings,
  vendor: Vendor,
  facts: ModelFacts
): Pick<Deployment, "baseUrl" | "query"> => {
  const other = vendor.also?.find((one) => one.protocol === protocol)
  const base = configured ?? other?.baseUrl ?? filledIn(vendor, options)
  const address: VendorAddress = vendor.addressOf?.({ provider: name, model, baseUrl: base, options, facts }) ?? {
    baseUrl: base
  }
  return { ...address, baseUrl: address.baseUrl.replace(/\/+$/, "") }
}

export const filledIn = (
  { baseUrl, settings = [] }: Pick<Vendor, "baseUrl" | "settings">,
  options: ProviderOptions
): string =>
  settings.reduce(
    (address, { name, otherwise = "" }) => address.replaceAll(`{${name}}`, options.shown[name] ?? otherwise),
    baseUrl
  )

const quirksOf = (
  { baseModel, jsonSchema, model, oneChoice }: DeploymentSettings,
  vendor: Vendor,
  { options, protocol }: ProviderSettings,
  facts: ModelFacts,
  ruling: Facts,
  operations: Deployment["operations"]
): Deployment["quirks"] => {
  const said = vendor.quirks?.(baseModel ?? model, options, facts)
  // Others that serve OpenAI's models pass requests on as they are; what else they serve has rules of their own.
  const rules = facts.key?.startsWith("openai/") === true ? facts : ruling
  const known =
    protocol === "openai-chat" ? { ...said, ...chatQuirks(rules, operations?.has("responses") === true) } : said
  if (jsonSchema === undefined && oneChoice === undefined) return known
  const { jsonSchema: way = "native", ...others } = { ...known, ...(jsonSchema === undefined ? {} : { jsonSchema }) }
  return {
    ...others,
    ...(way === "native" ? {} : { jsonSchema: way }),
    ...(oneChoice === undefined ? {} : { oneChoice })
  }
}

const supportsOf = (
  { baseModel, model, supports }: DeploymentSettings,
  vendor: Vendor,
  facts: ModelFacts,
  isMakers: boolean,
  operations: Deployment["operations"],
  quirks: Deployment["quirks"]
): Deployment["supports"] => {
  if (supports !== undefined) return new Set(supports)
  const usual = otherKind(facts) ?? factOf(vendor, baseModel ?? model, "supports") ?? EVERYTHING
  const known = withFacts(usual, facts, isMakers)
  const more: ReadonlyArray<Capability> = [
    ...(operations?.has("embeddings") === true ? (["embeddings"] as const) : []),
    // What it lacks is done with a tool, or its JSON mode.
    ...(quirks?.jsonSchema !== undefined ? (["json_schema"] as const) : [])
  ]
  return more.length === 0 ? known : new Set([...known, ...more])
}

/** `supports: [embeddings]` says the same of it. */
const operationsOf = (
  { baseModel, model, operations, supports }: DeploymentSettings,
  vendor: Vendor,
  provider: ProviderSettings,
  facts: ModelFacts
): Deployment["operations"] => {
  const native = operations ?? vendor.operations?.(baseModel ?? model, provider.options, facts)
  if (native === undefined) return undefined
  if (operations !== undefined || supports?.includes("embeddings") !== true) return new Set(native)
  return supports.includes("chat") ? new Set([...native, "embeddings"]) : new Set(["embeddings"])
}

/**
 * Operations beside the vendor's own protocol are asked for where the catalogue or the operator names them and their address is known. At
 * an address that is not the vendor's the operator has to name them.
 */
const withEndpoints = (
  settings: DeploymentSettings,
  vendor: Vendor,
  provider: ProviderSettings,
  baseUrl: string,
  facts: ModelFacts
): Pick<Deployment, "operations" | "endpoints"> => {
  const operations = operationsOf(settings, vendor, provider, facts)
  const beside = provider.protocol === vendor.protocol ? (vendor.beside ?? []) : []
  if (operations === undefined || beside.length === 0) return { operations, endpoints: undefined }
  const endpoints = new Map(
    beside.flatMap(({ at, isKnownAt, operation, protocol }) => {
      const isAsked =
        settings.operations?.includes(operation) ??
        (facts.operations?.includes(operation) === true && isKnownAt(baseUrl))
      const address = isAsked ? at(baseUrl) : undefined
      return address === undefined ? [] : [[operation, { protocol, baseUrl: address }] as const]
    })
  )
  const lacks = (operation: OperationName) =>
    beside.some((one) => one.operation === operation) && !endpoints.has(operation)
  return {
    operations: new Set([...operations].filter((operation) => !lacks(operation))),
    endpoints: endpoints.size === 0 ? undefined : endpoints
  }
}

/** The shortest time limit for a complete response. */
const RESPONSE_MS = 120_000

/** A model that may think silently before a stream may do so before a complete response too. */
const timeoutsOf = (
  { baseModel, model, timeouts }: DeploymentSettings,
  vendor: Vendor,
  facts: ModelFacts
): Timeouts => {
  const firstToken = timeouts.firstToken ?? firstTokenTimeout(vendor, baseModel ?? model, facts)
  const response = timeouts.response ?? Math.max(RESPONSE_MS, firstToken)
  return { ...timeouts, firstToken, response: Math.min(response, timeouts.total) }
}

/** The operator's settings win. If `supports` leaves out `reasoning`, nothing comes on top of the output limit. */
const boundsOf = (
  { baseModel, bounds, model, supports }: DeploymentSettings,
  vendor: Vendor,
  facts: ModelFacts
): BoundRules => {
  const rules = vendor.bounds(baseModel ?? model, facts)
  const said = bounds === undefined ? rules : { ...rules, ...given(bounds) }
  return supports === undefined || supports.includes("reasoning") ? said : { ...said, reasoning: "inside" }
}

const given = (bounds: ConfiguredBounds): Partial<ConfiguredBounds> =>
  Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined))

const vendorOf = ({ protocol, vendor }: ProviderSettings, vendors: Vendors): Vendor =>
  (vendor === undefined ? undefined : vendors.get(vendor)) ?? compatibleVendor(protocol) ?? OpenAiCompatible

const EVERYTHING = without()
const NOTHING: ReadonlySet<Capability> = new Set()
const VECTORS: ReadonlySet<Capability> = new Set(["embeddings"])
const STREAM: ReadonlySet<Capability> = new Set(["stream"])
const CHATTING: ReadonlySet<string> = new Set(["chat", "responses", "messages", "completions"])

/** Models that make vectors, images, speech or transcripts have none of the capabilities of a model that chats. */
const otherKind = ({ operations, output }: ModelFacts): ReadonlySet<Capability> | undefined => {
  if (operations === undefined || operations.some((operation) => CHATTING.has(operation))) return undefined
  if (operations.includes("embeddings")) return VECTORS
  return output?.includes("image") === true ? STREAM : NOTHING
}

/** Milliseconds. */
const firstTokenTimeout = (vendor: Vendor, model: string, { reasoning }: ModelFacts): number =>
  (reasoning?.silent ?? factOf(vendor, model, "thinksSilently")) === true ? 300_000 : 60_000

const hidesReasoning = (vendor: Vendor, model: string, { reasoning }: ModelFacts): Deployment["hidesReasoning"] => {
  const hides = reasoning?.hidden ?? factOf(vendor, model, "hidesReasoning")
  return hides === "never" ? undefined : hides
}
