/** Who is called, and with which key: one provider for each vendor, address, key and region. */
import { protocols } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import type { Account } from "./source/ConfigAccount.ts"
import { type Base, baseOf, nameOfHost, vendorAt } from "./Address.ts"
import type { Cursor } from "./source/Cursor.ts"
import {
  asSetting,
  isPlaceholder,
  isStandIn,
  looksSecret,
  reference,
  variableIn,
  type Variables
} from "./source/SourceSecrets.ts"
import type { Upstream } from "./LitellmVendors.ts"

/** Fields as the new file has them, in their order. */
export type Fields = { readonly [name: string]: unknown }

/** LiteLLM's name of a vendor's setting → ours, by vendor. */
const settingNames: { readonly [vendor: string]: { readonly [name: string]: string } } = {
  azure: { api_version: "api_version", tenant_id: "tenant_id", client_id: "client_id", client_secret: "client_secret" },
  bedrock: {
    aws_region_name: "region",
    aws_profile_name: "profile",
    aws_access_key_id: "access_key_id",
    aws_secret_access_key: "secret_access_key",
    aws_session_token: "session_token"
  },
  vertex: { vertex_project: "project", vertex_location: "location", vertex_credentials: "credentials" }
}

export class Providers {
  private readonly byIdentity = new Map<string, string>()
  private readonly made = new Map<string, Fields>()
  private readonly account: Account
  private readonly variables: Variables

  constructor(account: Account, variables: Variables) {
    this.account = account
    this.variables = variables
  }

  get fields(): ReadonlyMap<string, Fields> {
    return this.made
  }

  /** The provider that `params` tell, made where there is none yet; `isServer`: of no known vendor; `why` there can't be one. */
  of(
    upstream: Upstream,
    params: ReadonlyMap<string, Cursor>
  ): { readonly name: string; readonly isServer: boolean } | { readonly why: string } {
    const written = params.get("api_base") ?? params.get("base_url")
    const wish = `${variableStem(upstream.vendor?.name ?? "server")}_BASE_URL`
    const base =
      written?.text === undefined || written.text === "" ? undefined : baseOf(written.text, upstream.vendor, wish)
    if (base === undefined && upstream.vendor === undefined) return { why: "there is no api_base" }
    const isOpenAi = upstream.vendor === undefined || upstream.vendor.name === "openai"
    // An address of its own behind OpenAI's name is some other server that speaks its protocol.
    const vendor = isOpenAi && base?.url !== undefined ? vendorAt(base.url) : upstream.vendor
    const settings = this.settings(vendor, params, upstream.region ?? "", base)
    const why = vendor === undefined ? undefined : whyIncomplete(vendor, settings, base)
    if (why !== undefined) return { why }
    const address = base?.url === undefined || base.url === vendor?.baseUrl ? {} : { base_url: base.url }
    const wishedName = this.wishedName(vendor, base)
    const key = this.key(vendor, upstream.vendor, params.get("api_key"), settings, wishedName)
    const fields = { ...(vendor === undefined ? { protocol: protocols[0] } : {}), ...address, ...key, ...settings }
    const name = this.named(JSON.stringify([vendor?.name, fields]), vendor, wishedName, base, fields)
    this.account.say(
      written,
      base?.note === undefined ? "carried" : "changed",
      base?.note ?? "the address of the provider",
      `providers.${name}.base_url`
    )
    for (const [theirs, ours] of Object.entries(settingNames[vendor?.name ?? ""] ?? {})) {
      const found = params.get(theirs)
      if (
        found !== undefined &&
        variableIn(found.text ?? "") === undefined &&
        isLeftOpen(vendor, ours, found.text ?? "")
      ) {
        this.account.say(
          found,
          "changed",
          `secrets are not copied, nor what fits no such setting: set ${String(settings[ours]).slice(2, -1)} to it`,
          `providers.${name}.${ours}`
        )
      } else this.account.say(found, "carried", "a setting of the provider", `providers.${name}.${ours}`)
    }
    return { name, isServer: vendor === undefined }
  }

  private settings(
    vendor: Vendor | undefined,
    params: ReadonlyMap<string, Cursor>,
    region: string,
    base: Base | undefined
  ): Fields {
    const settings: Record<string, unknown> = {}
    for (const [theirs, ours] of Object.entries(settingNames[vendor?.name ?? ""] ?? {})) {
      const found = params.get(theirs)
      if (found === undefined) continue
      const text = found.text ?? ""
      const { variable = `${variableStem(vendor?.name ?? "")}_${ours.toUpperCase()}` } =
        vendor?.settings?.find(({ name }) => name === ours) ?? {}
      if (variableIn(text) !== undefined || !isLeftOpen(vendor, ours, text)) settings[ours] = asSetting(text)
      else settings[ours] = reference(this.variables.for(text === "" ? JSON.stringify(found.node) : text, variable))
    }
    if (vendor?.name === "bedrock" && settings["region"] === undefined) {
      settings["region"] = region === "" ? reference("AWS_REGION") : region
    }
    if (vendor?.name === "azure" && settings["api_version"] === undefined && base?.version !== undefined) {
      settings["api_version"] = base.version
    }
    if (vendor?.name === "vertex") {
      settings["project"] ??= reference("GOOGLE_CLOUD_PROJECT")
      settings["location"] ??= "us-central1"
    }
    if (vendor?.name === "azure" && base === undefined) settings["resource"] = reference("AZURE_OPENAI_RESOURCE")
    return settings
  }

  /** `api_key`, where one is needed or given. */
  private key(
    vendor: Vendor | undefined,
    named: Vendor | undefined,
    written: Cursor | undefined,
    settings: Fields,
    name: string
  ): Fields {
    const to = `providers.${name}.api_key`
    const text = written?.text
    const isKeyless = vendor?.apiKeyVariable === undefined
    const hasOther = (vendor?.settings ?? []).some(
      ({ name, replacesKey }) => replacesKey === true && settings[name] !== undefined
    )
    if (written === undefined || text === undefined) {
      if (hasOther) return {}
      // LiteLLM takes OpenAI's key where an OpenAI model at another address has none.
      if (vendor === undefined) return { api_key: named === undefined ? "none" : reference("OPENAI_API_KEY") }
      return isKeyless ? {} : { api_key: reference(vendor.apiKeyVariable) }
    }
    const variable = variableIn(text)
    if (variable !== undefined) {
      this.account.say(written, "carried", "the key, from the same variable", to)
      return { api_key: reference(variable) }
    }
    const wish = vendor?.apiKeyVariable ?? `${variableStem(name)}_API_KEY`
    if (isStandIn(text) && isKeyless) {
      this.account.say(written, "carried", "no key is needed there", to)
      return vendor === undefined ? { api_key: "none" } : {}
    }
    if (isStandIn(text) || isPlaceholder(text)) {
      this.account.say(written, "changed", `this stands for a key: set ${wish} to the real one`, to)
      return { api_key: reference(wish) }
    }
    const own = this.variables.for(text, wish)
    this.account.say(written, "changed", `keys are not copied: set ${own} to it`, to)
    return { api_key: reference(own) }
  }

  private wishedName(vendor: Vendor | undefined, base: Base | undefined): string {
    if (vendor !== undefined) return vendor.name
    const name = base?.host === undefined ? "server" : nameOfHost(base.host)
    return isVendorName(name) ? `${name}-compatible` : name
  }

  private named(
    identity: string,
    vendor: Vendor | undefined,
    wish: string,
    base: Base | undefined,
    fields: Fields
  ): string {
    const known = this.byIdentity.get(identity)
    if (known !== undefined) return known
    let name = wish
    if (this.made.has(name) && vendor !== undefined && base?.host !== undefined && base.url !== undefined) {
      name = `${vendor.name}-${nameOfHost(base.host)}`
    }
    const stem = name
    for (let count = 2; this.made.has(name); count++) name = `${stem}-${count}`
    this.byIdentity.set(identity, name)
    this.made.set(name, vendor === undefined || vendor.name === name ? fields : { vendor: vendor.name, ...fields })
    return name
  }
}

const isVendorName = (name: string): boolean =>
  knownVendors.some((vendor) => [vendor.name, ...(vendor.aliases ?? [])].includes(name))

const variableStem = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_")

/** The path of a file: it has a folder or an ending, and nothing else that JSON or a key has. */
const FILE = /^(?=.*(?:\/|\.\w+$))[\w.~/ -]+$/

/** Whether a variable has to stand for it. The path of a file with credentials is no secret; their JSON, or a part of it, is one. */
const isLeftOpen = (vendor: Vendor | undefined, name: string, text: string): boolean => {
  const setting = vendor?.settings?.find((one) => one.name === name)
  if (setting?.isDocument === true) return !FILE.test(text) || looksSecret(text)
  return setting?.isSecret === true || looksSecret(text) || !/^[A-Za-z0-9][\w.:/-]*$/.test(text) || text.includes("..")
}

const whyIncomplete = (vendor: Vendor, settings: Fields, base: Base | undefined): string | undefined => {
  if (base?.url !== undefined) return undefined
  const missing = (vendor.settings ?? []).find(
    ({ name, otherwise }) =>
      otherwise === undefined && settings[name] === undefined && vendor.baseUrl.includes(`{${name}}`)
  )
  return missing === undefined
    ? undefined
    : `there is no api_base; ${vendor.name} needs it, or ${missing.name}: ${missing.what}`
}
