/** `api_base` → `base_url`. */
import type { Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { looksSecret, reference, variableIn } from "./source/SourceSecrets.ts"

export interface Base {
  /** Undefined: the vendor's own. */
  readonly url: string | undefined
  /** For names; undefined where a variable says it. */
  readonly host: string | undefined
  /** Azure's, where it is part of the address. */
  readonly version?: string
  /** What was changed, in words. */
  readonly note?: string
  /** The variable that has to hold it. */
  readonly variable?: string
}

const ENDPOINTS = /\/(?:chat\/completions|completions|embeddings|messages|responses|rerank)\/?$/

/** `wish`: the variable for an address that is still to be filled in. */
export const baseOf = (written: string, vendor: Vendor | undefined, wish: string): Base => {
  const named = variableIn(written)
  if (named !== undefined) return { url: reference(named), host: undefined, variable: named }
  const withScheme =
    /^[\w.-]+(:\d+)?(\/|$)/.test(written) && /[.:]|^localhost/.test(written) ? `http://${written}` : written
  const parsed = URL.parse(withScheme)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || /[<>{}]/.test(written) || mayHoldSecret(parsed)) {
    return {
      url: reference(wish),
      host: undefined,
      variable: wish,
      note: `this is no address: set ${wish} to the right one`
    }
  }
  const notes: Array<string> = []
  if (withScheme !== written) notes.push("http:// was put before it")
  if (parsed.username !== "" || parsed.password !== "") notes.push("the user name and password in it were left out")
  const version = parsed.searchParams.get("api-version") ?? undefined
  if (parsed.search !== "" || parsed.hash !== "") notes.push("what follows its path was cut off")
  const path = pathOf(parsed.pathname, vendor)
  if (path !== parsed.pathname.replace(/\/+$/, "")) notes.push("its path is as this gateway needs it")
  const url = `${parsed.protocol}//${parsed.host}${path}`
  return {
    url: url === vendor?.baseUrl ? undefined : url,
    host: parsed.host,
    ...(version !== undefined && vendor?.name === "azure" ? { version } : {}),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") })
  }
}

/** A path with what belongs into a query or before a host, as of an address that somebody mistyped, or with a key. */
const mayHoldSecret = ({ host, pathname }: URL): boolean => /[@=&%]/.test(pathname) || looksSecret(`${host}${pathname}`)

const pathOf = (written: string, vendor: Vendor | undefined): string => {
  const path = written.replace(ENDPOINTS, "").replace(/\/+$/, "")
  if (vendor?.name === "azure") return path.replace(/\/openai(\/.*)?$/, "")
  if (vendor?.name === "anthropic" && path === "") return "/v1"
  return path
}

/** The vendor that is at home at an address, where people name it as OpenAI's protocol. */
export const vendorAt = (url: string | undefined): Vendor | undefined =>
  url === undefined
    ? undefined
    : knownVendors.find(
        (one) => one.protocol === "openai-chat" && one.baseUrl === url && URL.parse(url)?.protocol === "https:"
      )

/** `api.deepinfra.com` → `deepinfra`, `127.0.0.1:8000` → `local-8000`. */
export const nameOfHost = (host: string): string => {
  const [name = host, port] = host.split(":")
  const local = name === "localhost" || name === "host.docker.internal" || name.startsWith("[") || /^[\d.]+$/.test(name)
  if (local)
    return /^(localhost|127\.|0\.0|host\.docker)/.test(name)
      ? `local${port === undefined ? "" : `-${port}`}`
      : `server${port === undefined ? "" : `-${port}`}`
  if (name.endsWith(".azure.com")) return name.split(".")[0] ?? name
  const parts = name.split(".").filter((part) => !/^(api|www|inference|gateway|v\d)$/.test(part))
  const kept = parts.length > 1 ? parts.slice(0, -1).at(-1) : parts[0]
  return (kept ?? "server").replaceAll(/[^A-Za-z0-9-]/g, "-")
}
