/** What a scenario is, as it stands in a file of `scenarios`, and as a runner gets it. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** What may be asked of the gateway for one call; `options` of a step. */
export interface CallOptions {
  readonly session?: string
  readonly end_user?: string
  readonly guardrails?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly prefer?: "cost" | "quality"
  readonly strict?: boolean
  readonly no_fallback?: boolean
  readonly recovery?: "cut" | "buffer"
  readonly content?: "none" | "metadata"
  readonly cache?: {
    readonly on?: boolean
    readonly no_cache?: boolean
    readonly no_store?: boolean
    readonly max_age?: number
  }
  readonly idempotency_key?: string
  readonly headers?: { readonly [name: string]: string }
  readonly timeout_ms?: number
  readonly max_retries?: number
}

/** One call. `{{name}}` in any text of it stands for what an earlier step saved under that name. */
export interface Step {
  /** An operation of `wire.json`, by its name; `construct` makes the client and calls nothing. */
  readonly operation: string
  /** Path parameters. */
  readonly params?: { readonly [name: string]: string }
  readonly query?: JsonObject
  readonly body?: JsonObject
  /** Fields of a form that are files: the file's name in `fixtures`, and how it is handed over. */
  readonly files?: { readonly [field: string]: { readonly fixture: string; readonly as: "path" | "bytes" | "stream" } }
  readonly stream?: boolean
  /** Of a stream: leave after so many events. */
  readonly leave_after?: number
  /** Of a list in pages: go through all of it, one by one. */
  readonly iterate?: boolean
  /** Read the answer's content as JSON, by the schema in `body.response_format`. */
  readonly parse?: boolean
  /** Report status and headers too. */
  readonly raw?: boolean
  readonly options?: CallOptions
  /** Name → where in this step's observation the value is: `gateway.receipt_id`. */
  readonly save?: { readonly [name: string]: string }
  /** What the observation must hold; see `Match.ts`. The judge reads it, a runner does not. */
  readonly expect: JsonObject
  /** What the gateway's receipt of the call must hold. */
  readonly receipt?: JsonObject
}

export interface Scenario {
  readonly name: string
  /** Who is called: the real gateway (the default), a server that plays a script of `foreign.json`, or nobody at all. */
  readonly server?: string
  /** Fields of the virtual key that is made for it. */
  readonly key?: JsonObject
  /** The client gets the master key too. */
  readonly admin?: boolean
  readonly client?: ClientSettings
  /** The client is made without address and keys; these are its environment. `{{base_url}}`, `{{api_key}}`, `{{master_key}}`. */
  readonly environment?: { readonly [name: string]: string }
  readonly steps: ReadonlyArray<Step>
  /** What a scripted server must have seen in the end. */
  readonly seen?: Json
}

export interface ClientSettings {
  /** What follows the server's address: "" (the default), "/", "/v1", "/v1/". */
  readonly suffix?: string
  /** Instead of the key that was made. */
  readonly api_key?: string
  readonly timeout_ms?: number
  readonly max_retries?: number
  readonly headers?: { readonly [name: string]: string }
}

/** What a runner gets: nothing is left to look up. */
export interface Rendered {
  readonly name: string
  readonly client: Omit<ClientSettings, "suffix"> & { readonly base_url?: string; readonly master_key?: string }
  readonly environment?: { readonly [name: string]: string }
  /** The folder that `files` of steps are in. */
  readonly fixtures: string
  readonly steps: ReadonlyArray<Step>
}

/** What a runner prints for a scenario, as one line of JSON: an observation for each step up to the first that failed. */
export interface Observed {
  readonly scenario: string
  readonly steps: ReadonlyArray<JsonObject>
}
