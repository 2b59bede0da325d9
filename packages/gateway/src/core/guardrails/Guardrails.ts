/** The configured checks, ready to run, and which of them hold for a request. */
import { hash } from "node:crypto"
import { type CheckedRule, personalRules, secretRule, type TextRule } from "@model-gateway/protocol"
import { guardrailActions, type GuardrailSettings, type GuardrailStage, type LocalCheck } from "../domain/Guardrail.ts"
import { GuardrailUnknown } from "../domain/Errors.ts"
import type { WebhookSender } from "../admin/WebhookSender.ts"
import type { Caller } from "../keys/Caller.ts"
import { patternRule } from "./PatternRule.ts"
import { WebhookCheck } from "./WebhookCheck.ts"

/** The union of the policies that hold for a request. */
export interface EffectivePolicy {
  /** Names it, together with the configuration that it is of. */
  readonly id: string
  readonly request: ReadonlyArray<CheckedRule>
  readonly response: ReadonlyArray<CheckedRule>
  /** Asked after the rules, one after the other. */
  readonly webhooks: { readonly [Stage in GuardrailStage]: ReadonlyArray<WebhookCheck> }
  readonly deniesMedia: boolean
  /** What callers are told, by the name of the check. */
  readonly messages: ReadonlyMap<string, string>
}

interface PolicyNames {
  readonly caller: Caller
  /** Those that the request itself adds. */
  readonly added?: ReadonlyArray<string> | undefined
}

export interface CompiledGuardrails {
  /** Undefined: nothing is checked. An error: the request adds a policy that is not configured. */
  readonly of: (named: PolicyNames) => EffectivePolicy | GuardrailUnknown | undefined
}

type Sender = WebhookSender["Service"]

/** `loadPatterns` must have run where a check has a pattern. */
export const compileGuardrails = (settings: GuardrailSettings, sender: Sender): CompiledGuardrails => {
  const { always, checks, keys, policies, teams } = settings
  const rules = new Map(checks.map((check) => [check.name, check.kind === "webhook" ? [] : rulesOf(check)]))
  const webhooks = new Map(
    checks.flatMap((check) =>
      check.kind === "webhook" ? [[check.name, new WebhookCheck(check, sender)] as const] : []
    )
  )
  const messages = new Map(
    checks.flatMap(({ message, name }) => (message === undefined ? [] : [[name, message] as const]))
  )
  const known = new Map<string, EffectivePolicy>()
  const version = hash("sha256", JSON.stringify([checks, [...policies]]))

  const chosen = (names: ReadonlySet<string>, stage: GuardrailStage): ReadonlyArray<string> => [
    ...new Set([...names].flatMap((name) => policies.get(name)?.[stage] ?? []))
  ]

  /** Strictest rules first. */
  const all = (names: ReadonlySet<string>, stage: GuardrailStage): ReadonlyArray<CheckedRule> =>
    guardrailActions.flatMap((action) =>
      chosen(names, stage).flatMap((check) => (rules.get(check) ?? []).filter((one) => one.action === action))
    )

  const webhooksOf = (names: ReadonlySet<string>, stage: GuardrailStage): ReadonlyArray<WebhookCheck> =>
    chosen(names, stage).flatMap((check) => webhooks.get(check) ?? [])

  const compiled = (names: ReadonlySet<string>): EffectivePolicy => {
    const id = [...names].sort().join(" ")
    const found = known.get(id)
    if (found !== undefined) return found
    const made = {
      id: `${version} ${id}`,
      request: all(names, "request"),
      response: all(names, "response"),
      webhooks: { request: webhooksOf(names, "request"), response: webhooksOf(names, "response") },
      deniesMedia: [...names].some((name) => policies.get(name)?.media === "deny"),
      messages
    }
    known.set(id, made)
    return made
  }

  return {
    of: ({ added = [], caller: { key } }) => {
      const unknown = added.find((name) => !policies.has(name))
      if (unknown !== undefined) return new GuardrailUnknown({ name: unknown, known: [...policies.keys()] })
      const ofTeam = key.team === null ? undefined : teams.get(key.team)
      const ofKey = keys.get(key.id)
      const ofName = key.name === null ? undefined : keys.get(key.name)
      const names = new Set([...always, ...(ofTeam ?? []), ...(ofKey ?? []), ...(ofName ?? []), ...added])
      return names.size === 0 ? undefined : compiled(names)
    }
  }
}

export const rulesOf = (check: LocalCheck): ReadonlyArray<CheckedRule> =>
  textRulesOf(check).map((rule) => ({ check: check.name, action: check.action, rule }))

const textRulesOf = (check: LocalCheck): ReadonlyArray<TextRule> => {
  switch (check.kind) {
    case "secrets":
      return [secretRule]
    case "pii":
      return check.detect.map((name) => personalRules[name])
    case "regex":
      return [patternRule(check.name, check.pattern, check.maxLength)]
  }
}

/** Whether RE2 is needed. */
export const hasPatterns = ({ checks }: GuardrailSettings): boolean => checks.some(({ kind }) => kind === "regex")
