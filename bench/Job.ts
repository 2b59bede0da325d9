/** What the load is asked to do, and what it reports. */
import type { ShapeName } from "./Workload.ts"

export interface Job {
  /** The origin of the server. */
  readonly url: string
  readonly key: string
  readonly body: string
  /** Sent beside the credential and the type of the body. */
  readonly headers?: Readonly<Record<string, string>>
  /** So many end users take turns, each named in a header. */
  readonly endUsers?: number
  /** The shape of what is asked and answered. Left out: chat. */
  readonly shape?: ShapeName
  readonly stream: boolean
  /** Whose answers they are: of the upstream itself, of a proxy of ours, which says in its headers what it did, or of another gateway. */
  readonly from: "upstream" | "proxy" | "peer"
  /** `concurrency`: that many requests at any time. `rate`: that many a second, answered or not. */
  readonly pace: { readonly concurrency: number } | { readonly rate: number }
  readonly seconds: number
}

/** Times in ms. */
export interface Round {
  readonly requests: number
  /** Events of streams, the end mark included. */
  readonly events: number
  /** From the first request to the last answer. */
  readonly elapsed: number
  readonly p50: number
  readonly p99: number
  /** The longest. */
  readonly max: number
  /** From the request to the first byte of the body. */
  readonly firstP50: number
  readonly firstP99: number
}

export type Report = { readonly round: Round } | { readonly failure: string }
