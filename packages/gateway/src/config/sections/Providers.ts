/**
 * `providers`: whom the gateway calls, and with which keys.
 */
import { Redacted } from "effect"
import { billedAfterDisconnect, protocols } from "../../core/domain/Deployment.ts"
import type { KnownVendor, ProviderSettings } from "../../core/domain/Settings.ts"
import { Fields, oneOrMore, record, type Here, type Reader } from "../Reader.ts"
import { decoded } from "../Decode.ts"
import { baseUrl, secret, tidyUrl } from "../Secrets.ts"
import { duration, integer, oneOf } from "../Values.ts"
import { didYouMean, listed } from "../Suggest.ts"
import { keyPath, shownKey } from "../tree/Tree.ts"

export interface Providers {
  /** Every name in the section, those of providers with problems included. */
  readonly names: ReadonlyArray<string>
  readonly settings: ReadonlyArray<ProviderSettings>
}

/** No slash, as a name is the first half of `<provider>/<model>`. */
const PROVIDER_NAME = /^[A-Za-z0-9][\w.-]*$/
const DEMO = "demo"
const MOST_TOKENS_PER_SECOND = 1_000_000
/** One address has no more ports to connect from. */
const MOST_CONNECTIONS = 65_535
/** More than a process of the usual size has work for, and a bound all the same. */
export const DEFAULT_CONNECTIONS = 4096

export const readProviders = (here: Here, vendors: ReadonlyArray<KnownVendor>): Providers => {
  const names: Array<string> = []
  const settings = record((name, provider, keyAt) => {
    if (!PROVIDER_NAME.test(name)) {
      const shown = shownKey(name)
      const allowed = "letters, digits, . _ and -"
      const message = `${JSON.stringify(shown)} can't be the name of a provider: ${allowed} only, and a space after the colon`
      here.report.add(keyAt, keyPath(here.path, shown), { found: JSON.stringify(shown), allowed, message })
      return undefined
    }
    names.push(name)
    return readProvider(name, provider, vendors)
  })(here)
  return { names, settings: settings ?? [] }
}

const readProvider = (name: string, here: Here, vendors: ReadonlyArray<KnownVendor>): ProviderSettings | undefined => {
  const fields = new Fields(here, [
    "vendor",
    "protocol",
    "base_url",
    "api_key",
    "max_connections",
    "bills_after_disconnect",
    "latency",
    "tokens_per_second"
  ])
  if (!fields.isGroup) return undefined
  const vendorNames = vendors.map((vendor) => vendor.name)
  const vendorName = fields.has("vendor") ? fields.get("vendor", decoded(oneOf("a known vendor", vendorNames))) : name
  const vendor = vendors.find((one) => one.name === vendorName)
  const protocol = fields.get("protocol", decoded(oneOf("a protocol", protocols))) ?? vendor?.protocol

  if (vendor === undefined && !fields.has("vendor")) {
    if (!fields.has("protocol")) unknownKind(here, name, vendorNames)
    else if (!fields.has("base_url")) {
      fields.missing("base_url", "is required where the vendor is not a known one: its address", "an address")
    }
  }
  if (vendor?.name !== DEMO) {
    for (const field of ["latency", "tokens_per_second"] as const) {
      if (fields.has(field)) fields.get(field, onlyForDemo)
    }
  }
  if (vendor?.apiKeyVariable !== undefined && !fields.has("api_key")) {
    const example = `api_key: "\${${vendor.apiKeyVariable}}"`
    fields.missing(
      "api_key",
      `is required: ${vendor.name} wants a key; write ${example} and set ${vendor.apiKeyVariable}`,
      `${example} or api_key: none`
    )
  }

  const billsAfterDisconnect = fields.get(
    "bills_after_disconnect",
    decoded(oneOf("which calls are billed after a disconnect", billedAfterDisconnect))
  )
  const address = fields.get("base_url", decoded(baseUrl))
  const settings = {
    name,
    vendor: vendor?.name,
    baseUrl: address === undefined ? undefined : tidyUrl(address),
    apiKeys: fields.get("api_key", apiKeys) ?? [],
    maxConnections:
      fields.get("max_connections", decoded(integer({ from: 1, to: MOST_CONNECTIONS }))) ?? DEFAULT_CONNECTIONS,
    ...(billsAfterDisconnect === undefined ? {} : { billsAfterDisconnect }),
    latencyMs: vendor?.name === DEMO ? fields.get("latency", decoded(duration(0))) : undefined,
    tokensPerSecond:
      vendor?.name === DEMO
        ? fields.get("tokens_per_second", decoded(integer({ from: 1, to: MOST_TOKENS_PER_SECOND })))
        : undefined
  }
  return protocol === undefined ? undefined : { ...settings, protocol }
}

const unknownKind = (here: Here, name: string, vendorNames: ReadonlyArray<string>) => {
  const message =
    `${JSON.stringify(name)} is not a known vendor; name its vendor, or its protocol and base_url` +
    `${didYouMean(name, vendorNames)} (vendors: ${listed(vendorNames)}; protocols: ${listed(protocols)})`
  here.problem(message, `${listed(vendorNames)}; ${listed(protocols)}`, JSON.stringify(name))
}

const onlyForDemo: Reader<never> = (here) =>
  here.problem("only the demo vendor has this field", "nothing", "this field")

const KEY_ALLOWED = "a key, a list of keys or none"

/** `none`: the endpoint wants no key. */
const apiKeys: Reader<ReadonlyArray<Redacted.Redacted<string>>> = (here) => {
  if (isNone(here)) return []
  const keys = oneOrMore("at least one key", oneKey)(here)
  const values = keys?.map(Redacted.value) ?? []
  const again = values.findIndex((value, index) => values.indexOf(value) < index)
  if (again < 0) return keys
  // A key that fails must not be tried as another one.
  const first = values.indexOf(values[again]!)
  return here.problem(`[${again}] is the same key as [${first}]`, "keys that differ", "one key twice")
}

const oneSecret = decoded(secret(KEY_ALLOWED))

const oneKey: Reader<Redacted.Redacted<string>> = (here) =>
  isNone(here) ? here.problem("none stands alone, not in a list of keys", "keys", "none in a list") : oneSecret(here)

const isNone = (here: Here): boolean => here.node.kind === "scalar" && here.node.value === "none"
