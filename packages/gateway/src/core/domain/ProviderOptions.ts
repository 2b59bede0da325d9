/** Fields of a provider's configuration that not all providers have: region, account, version of the API. */
import type { Redacted } from "effect"

/** A field of a provider in the configuration that only one vendor has: a region, an account, a version of its API. */
export interface VendorSetting {
  /** As in the configuration: `api_version`. `{api_version}` in the vendor's address stands for its value. */
  readonly name: string
  /** What belongs there: "the id of the account". */
  readonly what: string
  /** The environment variable that usually holds it. Nothing reads it unasked: messages name it. */
  readonly variable?: string
  /** What it is where it is left out. A setting that the address names and that has no default is required. */
  readonly otherwise?: string
  readonly isSecret?: boolean
  /** A secret that is a file, or a JSON document, which may have lines. */
  readonly isDocument?: boolean
  /** A provider that has it needs no `api_key`. */
  readonly replacesKey?: boolean
  /** Other settings without which it is of no use. */
  readonly needs?: ReadonlyArray<string>
}

/** The vendor's own fields (`VendorSetting`) of a provider's configuration, by name. */
export interface ProviderOptions {
  readonly shown: { readonly [name: string]: string }
  readonly secret: { readonly [name: string]: Redacted.Redacted<string> }
}

export const noOptions: ProviderOptions = { shown: {}, secret: {} }
