/** The fields of a provider that only its vendor has: `region`, `account`, `api_version` (`VendorSetting`). */
import { type Redacted, Schema } from "effect"
import { noOptions, type ProviderOptions, type VendorSetting } from "../../core/domain/ProviderOptions.ts"
import type { KnownVendor } from "../../core/domain/Settings.ts"
import type { Here } from "../Here.ts"
import { providerKey, secretDocument } from "../SecretSettings.ts"
import { listed } from "../../core/collections/Suggest.ts"
import { textThat } from "../SettingValues.ts"

type VendorFields = {
  readonly [name: string]: Schema.optionalKey<Schema.Codec<string | Redacted.Redacted<string>, unknown>>
}

/** It becomes a part of an address or of a header, where other signs could mean something else. */
const FITTING = /^[A-Za-z0-9][\w.:/-]*$/

const schemaOf = ({ isDocument, isSecret, what }: VendorSetting) =>
  isDocument === true
    ? secretDocument(what)
    : isSecret === true
      ? providerKey(what)
      : textThat(`${what}: letters, digits, . _ : / and -`, (value) => FITTING.test(value) && !value.includes(".."))

/** Of all vendors: two that have a field of one name mean the same by it. */
export const vendorFields = (vendors: ReadonlyArray<KnownVendor>): VendorFields =>
  Object.fromEntries(
    vendors.flatMap(({ settings = [] }) => settings.map((one) => [one.name, Schema.optionalKey(schemaOf(one))]))
  )

/** What `read`, a provider, says in the fields of its vendor. */
export const optionsOf = (read: object, vendor: KnownVendor | undefined): ProviderOptions => {
  const given = new Map<string, unknown>(Object.entries(read))
  const shown: Record<string, string> = {}
  const hidden: Record<string, Redacted.Redacted<string>> = {}
  for (const { isSecret, name } of vendor?.settings ?? []) {
    const value = given.get(name)
    if (isSecret === true && Schema.is(Schema.Redacted(Schema.String))(value)) hidden[name] = value
    else if (typeof value === "string") shown[name] = value
  }
  return vendor?.settings === undefined ? noOptions : { shown, secret: hidden }
}

/** What is missing, and what belongs to another vendor. */
export const checkVendorFields = (
  here: Here,
  vendor: KnownVendor | undefined,
  vendors: ReadonlyArray<KnownVendor>
): void => {
  const own = vendor?.settings ?? []
  for (const name of Object.keys(vendorFields(vendors))) {
    if (own.some((one) => one.name === name)) continue
    const others = vendors.filter(({ settings = [] }) => settings.some((one) => one.name === name))
    const whose = others.length === 1 ? "only the vendor" : "only the vendors"
    const have = others.length === 1 ? "has" : "have"
    const message = `${whose} ${listed(others.map((one) => one.name))} ${have} this field`
    here.field(name)?.problem(message, "nothing", "this field")
  }
  if (vendor === undefined) return
  for (const { name, needs = [] } of own.filter((one) => here.has(one.name))) {
    for (const other of needs.filter((one) => !here.has(one))) {
      const { variable, what = other } = own.find((one) => one.name === other) ?? {}
      const example = variable === undefined ? "" : `, such as ${other}: "\${${variable}}"`
      here.missing(other, `${what}${example}`, { when: ` beside ${name}`, allowed: what })
    }
  }
  if (here.has("base_url")) return
  if (vendor.baseUrl === "") {
    const needs = `the address of your ${vendor.name}`
    here.missing("base_url", needs, { allowed: "an address such as https://api.example.com/v1" })
  }
  for (const { name, otherwise, variable, what } of own) {
    if (here.has(name) || otherwise !== undefined || vendor.baseUrl?.includes(`{${name}}`) !== true) continue
    const example = variable === undefined ? what : `${what}, such as ${name}: "\${${variable}}"`
    here.missing(name, `${example}; or write the whole address as base_url`, { allowed: what })
  }
}

/** Whether it says who it is without an `api_key`. */
export const hasOtherCredential = (here: Here, { settings = [] }: KnownVendor): boolean =>
  settings.some(({ name, replacesKey }) => replacesKey === true && here.has(name))
