/** `providers`: whom the gateway calls, and with which keys. */
import { Redacted, Schema } from "effect"
import { billedAfterDisconnect, protocols } from "../../core/domain/Deployment.ts"
import type { KnownVendor, ProviderSettings } from "../../core/domain/Settings.ts"
import { fieldOf, refuse, type Telling } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { otherVendorsKey } from "../KeyMistakes.ts"
import { baseUrl, providerKey, tidyUrl } from "../SecretSettings.ts"
import { didYouMean, listed } from "../../core/collections/Suggest.ts"
import { shownKey } from "../tree/Tree.ts"
import { checkConnection, connectionFields, connectionOf } from "./ConnectionSection.ts"
import { checkVendorFields, hasOtherCredential, optionsOf, vendorFields } from "./VendorSettings.ts"
import { asList, duration, group, integer, oneOf, or, readBy, record, tellEmpty, textOf } from "../SettingValues.ts"

/** No slash, as a name is the first half of `<provider>/<model>`. */
const PROVIDER_NAME = /^[A-Za-z0-9][\w.-]*$/
const DEMO = "demo"
const MOST_TOKENS_PER_SECOND = 1_000_000
/** One address has no more ports to connect from. */
const MOST_CONNECTIONS = 65_535
/** More than a process of the usual size has work for, and a bound all the same. */
export const DEFAULT_CONNECTIONS = 4096

/** Every name in the section, those of providers with problems included. */
export const providersIn = (section: Here | undefined): ReadonlyArray<string> =>
  (section?.entries ?? []).map(({ key }) => key).filter((name) => PROVIDER_NAME.test(name))

const providerName = Schema.String.check(
  refuse((name) => {
    if (PROVIDER_NAME.test(name)) return undefined
    const found = JSON.stringify(shownKey(name))
    const allowed = "letters, digits, . _ and -"
    const message = `${found} can't be the name of a provider: ${allowed} only, and a space after the colon`
    return () => ({ message, allowed, found })
  })
)

const NONE = "none"
const KEY_ALLOWED = "a key, a list of keys or none"

const apiKey = providerKey(KEY_ALLOWED, (key) =>
  key === NONE
    ? { message: "none stands alone, not in a list of keys", allowed: "keys", found: "none in a list" }
    : undefined
)

/** A key that fails must not be tried as another one. */
const whyNotDifferent = (keys: ReadonlyArray<Redacted.Redacted<string>>): Telling | undefined => {
  const firsts = new Map<string, number>()
  for (const [index, key] of keys.map(Redacted.value).entries()) {
    const first = firsts.get(key)
    if (first !== undefined) {
      const message = `[${index}] is the same key as [${first}]`
      return () => ({ message, allowed: "keys that differ", found: "one key twice" })
    }
    firsts.set(key, index)
  }
  return undefined
}

/** `none`: the endpoint wants no key. */
const apiKeysOf = (written: unknown): unknown => {
  if (textOf(written) === NONE) return []
  return Array.isArray(written) && written.length === 0 ? undefined : asList(written)
}

const apiKeys = readBy(
  apiKeysOf,
  Schema.Array(apiKey)
    .annotate({
      expected: KEY_ALLOWED,
      problem: ({ node }) => (node.kind === "list" ? tellEmpty("at least one key") : undefined)
    })
    .check(refuse(whyNotDifferent))
)

const vendorOf = (vendors: ReadonlyArray<KnownVendor>) => oneOf("a known vendor", vendors.flatMap(namesOf))

const namesOf = ({ aliases = [], name }: KnownVendor): ReadonlyArray<string> => [name, ...aliases]

const vendorNamed = (name: unknown, vendors: ReadonlyArray<KnownVendor>): KnownVendor | undefined =>
  vendors.find((vendor) => namesOf(vendor).some((one) => one === name))

const providerOf = (vendors: ReadonlyArray<KnownVendor>) =>
  group({
    vendor: Schema.optionalKey(vendorOf(vendors)),
    protocol: Schema.optionalKey(oneOf("a protocol", protocols)),
    base_url: Schema.optionalKey(baseUrl),
    api_key: apiKeys.pipe(or([])),
    max_connections: integer({ from: 1, to: MOST_CONNECTIONS }).pipe(or(DEFAULT_CONNECTIONS)),
    ...connectionFields,
    bills_after_disconnect: Schema.optionalKey(
      oneOf("which calls are billed after a disconnect", billedAfterDisconnect)
    ),
    latency: Schema.optionalKey(duration(0)),
    tokens_per_second: Schema.optionalKey(integer({ from: 1, to: MOST_TOKENS_PER_SECOND })),
    ...vendorFields(vendors)
  })

export const providersOf = (vendors: ReadonlyArray<KnownVendor>) => record(providerName, providerOf(vendors))

/** Undefined where nobody knows how it speaks, which `checkProviders` reports. */
export const providerSettings = (
  name: string,
  provider: ReturnType<typeof providerOf>["Type"],
  vendors: ReadonlyArray<KnownVendor>
): ProviderSettings | undefined => {
  const vendor = vendorNamed(provider.vendor ?? name, vendors)
  const { base_url: address } = provider
  const other = address === undefined ? undefined : vendor?.also?.find(({ isAt }) => isAt(address))
  const protocol = provider.protocol ?? other?.protocol ?? vendor?.protocol
  if (protocol === undefined) return undefined
  const connection = connectionOf(provider)
  return {
    name,
    vendor: vendor?.name,
    protocol,
    baseUrl: provider.base_url === undefined ? undefined : tidyUrl(provider.base_url),
    apiKeys: provider.api_key,
    maxConnections: provider.max_connections,
    ...(connection === undefined ? {} : { connection }),
    ...(provider.bills_after_disconnect === undefined ? {} : { billsAfterDisconnect: provider.bills_after_disconnect }),
    latencyMs: provider.latency,
    tokensPerSecond: provider.tokens_per_second,
    ...(vendor?.settings === undefined ? {} : { options: optionsOf(provider, vendor) })
  }
}

/** What a provider must and may say depends on its vendor, which its name may tell. */
export const checkProviders = (section: Here | undefined, vendors: ReadonlyArray<KnownVendor>): void => {
  for (const { here, key } of section?.entries ?? []) {
    if (PROVIDER_NAME.test(key) && here.isGroup) checkProvider(here, key, vendors)
  }
}

const checkProvider = (here: Here, name: string, vendors: ReadonlyArray<KnownVendor>): void => {
  const named = here.has("vendor") ? fieldOf(here, "vendor", vendorOf(vendors)) : name
  const vendor = vendorNamed(named, vendors)
  if (vendor === undefined && !here.has("vendor")) {
    if (!here.has("protocol")) unknownKind(here, name, vendors)
    else if (!here.has("base_url")) {
      here.missing("base_url", "its address", { when: " where the vendor is not a known one", allowed: "an address" })
    }
  }
  if (vendor?.name !== DEMO) {
    for (const field of ["latency", "tokens_per_second"]) {
      here.field(field)?.problem("only the demo vendor has this field", "nothing", "this field")
    }
  }
  checkVendorFields(here, vendor, vendors)
  checkConnection(here)
  if (here.has("base_url")) checkPath(here, vendor)
  else if (vendor !== undefined) checkOwner(here, vendor)
  if (vendor?.apiKeyVariable !== undefined && !here.has("api_key") && !hasOtherCredential(here, vendor)) {
    const example = `api_key: "\${${vendor.apiKeyVariable}}"`
    const others = (vendor.settings ?? []).filter(({ replacesKey }) => replacesKey === true).map(({ name }) => name)
    const instead = others.length === 0 ? "" : `, or in place of it ${listed(others)}`
    const needs = `${vendor.name} requires a key; write ${example} and set ${vendor.apiKeyVariable}${instead}`
    here.missing("api_key", needs, { allowed: `${example} or api_key: none` })
  }
}

/** An address without a path is rarely what a vendor's paths are appended to. */
const checkPath = (here: Here, vendor: KnownVendor | undefined): void => {
  const field = here.field("base_url")
  const given = URL.parse(fieldOf(here, "base_url", baseUrl) ?? "")
  const usual = URL.parse(vendor?.baseUrl ?? "")
  if (field === undefined || given === null) return
  const protocol = fieldOf(here, "protocol", oneOf("a protocol", protocols)) ?? vendor?.protocol
  const path = usual?.pathname ?? (vendor === undefined && protocol === "openai-chat" ? "/v1" : "/")
  if (given.pathname === "/" && path !== "/" && !path.includes("%7B")) {
    const ends = `this address has no path; most such servers need one that ends in ${path}`
    field.report.warn(field.at, field.path, `${ends} (/chat/completions and others are appended)`)
  }
  if (given.protocol === "http:" && usual?.protocol === "https:" && given.hostname === usual.hostname) {
    field.problem("this address sends the key unencrypted; write https://", "https://", "http://")
  }
}

/** A key that begins like those of another vendor is refused there. */
const checkOwner = (here: Here, vendor: KnownVendor): void => {
  const field = here.field("api_key")
  const items = field?.node.kind === "list" ? field.items : field === undefined ? [] : [field]
  for (const item of items) {
    const message = otherVendorsKey(item.text ?? "", vendor)
    if (message !== undefined) item.problem(message, `a key of ${vendor.name}`, "a key of another vendor")
  }
}

const unknownKind = (here: Here, name: string, vendors: ReadonlyArray<KnownVendor>): void => {
  const known = vendors.map((vendor) => vendor.name)
  const message =
    `${JSON.stringify(name)} is not a known vendor; name its vendor, or its protocol and base_url` +
    `${didYouMean(name, vendors.flatMap(namesOf))} (vendors: ${listed(known)}; protocols: ${listed(protocols)})`
  here.problem(message, `${listed(known)}; ${listed(protocols)}`, JSON.stringify(name))
}
