/**
 * Resolves settings to deployments: capabilities, sizes and prices of each. The configuration wins over the price list, and the
 * price list over the known model families.
 */
import type { BoundRules, ConfiguredBounds } from "../../core/domain/pricing/BoundRules.ts"
import type { Capability, Deployment, Timeouts } from "../../core/domain/Deployment.ts"
import type { Address, Vendor } from "../../core/pool/Vendor.ts"
import { noOptions, type ProviderOptions } from "../../core/domain/ProviderOptions.ts"
import type { DeploymentSettings, ProviderSettings, Settings } from "../../core/domain/Settings.ts"
import { registryOf } from "./ProviderRegistry.ts"
import { contextWindowOf, priceSheetFor, sheetFromConfig } from "../prices/PriceList.ts"
import { factOf, without } from "../vendors/Families.ts"
import { OpenAiCompatible } from "../vendors/OpenAiCompatible.ts"
import { compatibleVendor } from "../vendors/Vendors.ts"

/** The deployments in configured order. A deployment whose provider is not configured is left out. */
export const resolveDeployments = (
  settings: Pick<Settings, "providers" | "deployments">,
  vendors: Vendors = registryOf().vendors
): ReadonlyArray<Deployment> => {
  const providers = new Map(settings.providers.map((provider) => [provider.name, provider]))
  return settings.deployments.flatMap((deployment) => {
    const provider = providers.get(deployment.provider)
    return provider === undefined ? [] : [resolved(deployment, provider, vendorOf(provider, vendors))]
  })
}

type Vendors = ReadonlyMap<string, Vendor>

const resolved = (settings: DeploymentSettings, provider: ProviderSettings, vendor: Vendor): Deployment => {
  const { model } = settings
  const base = settings.baseModel ?? model
  const operations = operationsOf(settings, vendor, provider.options)
  const quirks = quirksOf(settings, vendor, provider.options)
  return {
    id: settings.id,
    provider: provider.name,
    vendor: vendor.name,
    protocol: protocolOf(provider, vendor, base),
    model,
    baseModel: settings.baseModel,
    ...addressOf(model, provider, vendor),
    options: provider.options,
    apiKeys: provider.apiKeys,
    price:
      settings.price === undefined
        ? (vendor.prices?.(base, provider.options) ?? priceSheetFor(vendor, base))
        : sheetFromConfig(settings.price),
    contextWindow: settings.contextWindow ?? factOf(vendor, base, "contextWindow") ?? contextWindowOf(vendor, base),
    maxOutputTokens: settings.maxOutputTokens ?? factOf(vendor, base, "maxOutput"),
    assumedMaxOutput: settings.maxOutputTokens ?? factOf(vendor, base, "assumedMaxOutput"),
    bounds: boundsOf(settings, vendor),
    supports: supportsOf(settings, vendor, operations, quirks),
    operations,
    billsAfterDisconnect: provider.billsAfterDisconnect ?? vendor.billsAfterDisconnect ?? "none",
    hidesReasoning: hidesReasoning(vendor, base),
    inlineImages: settings.inlineImages ?? inlineImages(vendor, base),
    refusesPrivateMedia: vendor.isSelfHosted === true && settings.inlineImages !== false,
    mediaHosts: settings.mediaHosts,
    quirks,
    assumedRate: vendor.assumedRate,
    serviceTier: settings.serviceTier,
    callerBilling: settings.callerBilling,
    weight: settings.weight,
    priority: settings.priority,
    maxInFlight: settings.maxInFlight,
    maxConnections: provider.maxConnections,
    timeouts: timeoutsOf(settings, vendor)
  }
}

const inlineImages = ({ inlineImages: said = false }: Vendor, model: string): boolean =>
  typeof said === "boolean" ? said : said(model)

/** A protocol that the operator names holds for all models. */
const protocolOf = ({ protocol }: ProviderSettings, vendor: Vendor, model: string): Deployment["protocol"] =>
  protocol === vendor.protocol ? (vendor.protocolOf?.(model) ?? protocol) : protocol

/** Where it is: as the provider's configuration says, else as its vendor's file does. */
const addressOf = (
  model: string,
  { baseUrl: configured, name, options = noOptions, protocol }: ProviderSettings,
  vendor: Vendor
): Pick<Deployment, "baseUrl" | "query"> => {
  const other = vendor.also?.find((one) => one.protocol === protocol)
  const base = configured ?? other?.baseUrl ?? filledIn(vendor, options)
  const address: Address = vendor.addressOf?.({ provider: name, model, baseUrl: base, options }) ?? { baseUrl: base }
  return { ...address, baseUrl: address.baseUrl.replace(/\/+$/, "") }
}

/** The vendor's address with the values of the settings that it names. The configuration was refused where one is missing. */
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
  options: ProviderSettings["options"]
): Deployment["quirks"] => {
  const known = vendor.quirks?.(baseModel ?? model, options)
  if (jsonSchema === undefined && oneChoice === undefined) return known
  const { jsonSchema: way = "native", ...others } = { ...known, ...(jsonSchema === undefined ? {} : { jsonSchema }) }
  return {
    ...others,
    ...(way === "native" ? {} : { jsonSchema: way }),
    ...(oneChoice === undefined ? {} : { oneChoice })
  }
}

/** A model whose name does not tell makes vectors if the operator names that operation. */
const supportsOf = (
  { baseModel, model, supports }: DeploymentSettings,
  vendor: Vendor,
  operations: Deployment["operations"],
  quirks: Deployment["quirks"]
): Deployment["supports"] => {
  if (supports !== undefined) return new Set(supports)
  const known = factOf(vendor, baseModel ?? model, "supports") ?? EVERYTHING
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
  options: ProviderSettings["options"]
): Deployment["operations"] => {
  const native = operations ?? vendor.operations?.(baseModel ?? model, options)
  if (native === undefined) return undefined
  if (operations !== undefined || supports?.includes("embeddings") !== true) return new Set(native)
  return supports.includes("chat") ? new Set([...native, "embeddings"]) : new Set(["embeddings"])
}

/** The shortest time limit for a complete answer. */
const RESPONSE_MS = 120_000

/** A model that may think silently before a stream may do so before a complete answer too. */
const timeoutsOf = ({ baseModel, model, timeouts }: DeploymentSettings, vendor: Vendor): Timeouts => {
  const firstToken = timeouts.firstToken ?? firstTokenTimeout(vendor, baseModel ?? model)
  const response = timeouts.response ?? Math.max(RESPONSE_MS, firstToken)
  return { ...timeouts, firstToken, response: Math.min(response, timeouts.total) }
}

/** The operator's settings win. If `supports` leaves out `reasoning`, nothing comes on top of the output limit. */
const boundsOf = ({ baseModel, bounds, model, supports }: DeploymentSettings, vendor: Vendor): BoundRules => {
  const rules = vendor.bounds(baseModel ?? model)
  const said = bounds === undefined ? rules : { ...rules, ...given(bounds) }
  return supports === undefined || supports.includes("reasoning") ? said : { ...said, reasoning: "inside" }
}

const given = (bounds: ConfiguredBounds): Partial<ConfiguredBounds> =>
  Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined))

const vendorOf = ({ protocol, vendor }: ProviderSettings, vendors: Vendors): Vendor =>
  (vendor === undefined ? undefined : vendors.get(vendor)) ?? compatibleVendor(protocol) ?? OpenAiCompatible

const EVERYTHING = without()

/** Milliseconds. */
const firstTokenTimeout = (vendor: Vendor, model: string): number =>
  factOf(vendor, model, "thinksSilently") === true ? 300_000 : 60_000

const hidesReasoning = (vendor: Vendor, model: string): Deployment["hidesReasoning"] => {
  const hides = factOf(vendor, model, "hidesReasoning")
  return hides === "never" ? undefined : hides
}
