/** Guardrails as they are configured, and what they report. */

/** Strictest first. */
export const guardrailActions = ["deny", "mask", "flag"] as const

export type GuardrailAction = (typeof guardrailActions)[number]

export const personalData = ["email", "credit_card", "iban"] as const

export const guardrailStages = ["request", "response"] as const

export type GuardrailStage = (typeof guardrailStages)[number]

interface AnyCheck {
  readonly name: string
  readonly action: GuardrailAction
  /** For callers whose request is denied. */
  readonly message?: string | undefined
}

export type GuardrailCheck = AnyCheck &
  (
    | { readonly kind: "secrets" }
    | { readonly kind: "pii"; readonly detect: ReadonlyArray<(typeof personalData)[number]> }
    /** RE2 syntax. No match is longer than `maxLength` characters; streams are delayed by so many. */
    | { readonly kind: "regex"; readonly pattern: string; readonly maxLength: number }
  )

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
  /** By the name of the team. */
  readonly teams: ReadonlyMap<string, ReadonlyArray<string>>
  /** By the id or the name of the key. */
  readonly keys: ReadonlyMap<string, ReadonlyArray<string>>
}

/** `pass`: the check ran and found nothing. */
export const verdictActions = ["pass", "flag", "mask", "deny"] as const

/** What one check did. `rules`: how many matches of each rule; never content. */
export interface GuardrailVerdict {
  readonly check: string
  readonly stage: GuardrailStage
  readonly action: (typeof verdictActions)[number]
  readonly rules: { readonly [rule: string]: number }
}
