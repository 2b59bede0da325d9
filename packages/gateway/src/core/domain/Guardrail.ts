/** Guardrails as they are configured. */
import type { GuardrailVerdict } from "@model-gateway/protocol"
import type { Redacted } from "effect"

/** Strictest first. */
export const guardrailActions = ["deny", "mask", "flag"] as const

export type GuardrailAction = (typeof guardrailActions)[number]

export const personalData = ["email", "credit_card", "iban"] as const

export type GuardrailStage = GuardrailVerdict["stage"]

interface AnyCheck {
  readonly name: string
  readonly message?: string | undefined
}

export type LocalCheck = AnyCheck & { readonly action: GuardrailAction } & (
    | { readonly kind: "secrets" }
    | { readonly kind: "pii"; readonly detect: ReadonlyArray<(typeof personalData)[number]> }
    /** RE2 syntax. No match is longer than `maxLength` characters; streams are delayed by so many. */
    | { readonly kind: "regex"; readonly pattern: string; readonly maxLength: number }
  )

/** A check that sends texts to a receiver of the operator, which decides what is done. */
export interface WebhookSettings extends AnyCheck {
  readonly kind: "webhook"
  readonly url: string
  readonly secret: Redacted.Redacted<string>
  readonly timeoutMs: number
  /** What happens while there is no verdict. */
  readonly onError: "deny" | "allow"
  readonly allowPrivate: boolean
}

export type GuardrailCheck = LocalCheck | WebhookSettings

export interface GuardrailPolicy {
  /** Names of checks. */
  readonly request: ReadonlyArray<string>
  readonly response: ReadonlyArray<string>
  /** What happens to content that no check can read. */
  readonly media: "allow" | "deny"
}

export interface GuardrailSettings {
  readonly checks: ReadonlyArray<GuardrailCheck>
  readonly policies: ReadonlyMap<string, GuardrailPolicy>
  /** Names of policies for every key. */
  readonly always: ReadonlyArray<string>
  readonly teams: ReadonlyMap<string, ReadonlyArray<string>>
  /** By the id or the name of the key. */
  readonly keys: ReadonlyMap<string, ReadonlyArray<string>>
}
