/** `guardrails`: checks of what goes to models and comes back, and for whom they hold. */
import { Redacted, Schema } from "effect"
import { didYouMean, listed } from "../../core/collections/Suggest.ts"
import {
  type GuardrailCheck,
  guardrailActions,
  type GuardrailSettings,
  personalData
} from "../../core/domain/Guardrail.ts"
import { patternProblem } from "../../core/guardrails/PatternRule.ts"
import { refuseWith } from "../Decode.ts"
import type { Here } from "../Here.ts"
import {
  duration,
  group,
  integer,
  list,
  oneOf,
  or,
  orEmpty,
  record,
  required,
  someOf,
  text,
  yesOrNo
} from "../SettingValues.ts"
import { webhookSecret, webhookUrl } from "./AlertsSection.ts"

const NAME = /^[\w.-]{1,64}$/
const A_NAME = "a name of letters, digits and `._-`, at most 64"
const name = Schema.String.check(
  refuseWith(A_NAME, (value) => (NAME.test(value) ? undefined : `this is not ${A_NAME}`))
)

/** The longest text that a pattern may match: streams wait for so much of it. */
const LONGEST_MATCH = 1_024

const pattern = text("a pattern in RE2's syntax").check(
  refuseWith("a pattern in RE2's syntax", (value) => {
    const problem = patternProblem(value)
    return problem && `RE2 does not accept this pattern: ${problem}`
  })
)

const Check = group({
  kind: required(
    "what it looks for: secrets, pii or regex; or webhook",
    oneOf("a kind of check", ["secrets", "pii", "regex", "webhook"])
  ),
  action: Schema.optionalKey(oneOf("an action", guardrailActions)),
  detect: Schema.optionalKey(someOf("kinds of personal data", oneOf("a kind of personal data", personalData))),
  pattern: Schema.optionalKey(pattern),
  max_length: Schema.optionalKey(integer({ from: 1, to: LONGEST_MATCH })),
  message: Schema.optionalKey(text("a sentence for callers")),
  url: Schema.optionalKey(webhookUrl),
  secret: Schema.optionalKey(webhookSecret),
  timeout: Schema.optionalKey(duration(10)),
  on_error: Schema.optionalKey(oneOf("a choice for failures", ["deny", "allow"])),
  allow_private: Schema.optionalKey(yesOrNo)
})

const checkNames = list("names of checks", text("the name of a check"))
const policyNames = list("names of policies", text("the name of a policy"))

const Policy = group({
  request: checkNames.pipe(or([])),
  response: checkNames.pipe(or([])),
  media: oneOf("a choice for files", ["allow", "deny"]).pipe(or("allow"))
})

const bearer = record(Schema.String, policyNames)

export const Guardrails = group({
  checks: record(name, Check).pipe(orEmpty),
  policies: record(name, Policy).pipe(orEmpty),
  always: policyNames.pipe(or([])),
  teams: bearer.pipe(orEmpty),
  keys: bearer.pipe(orEmpty)
})

export const checkGuardrails = (section: Here | undefined): void => {
  const checks = section?.field("checks")?.entries ?? []
  for (const { here } of checks) checkFields(here)
  const policies = section?.field("policies")?.entries ?? []
  const checkNames = checks.map(({ key }) => key)
  for (const { here } of policies) {
    for (const stage of ["request", "response"]) known(here.field(stage), "check", checkNames)
  }
  const policyNames = policies.map(({ key }) => key)
  known(section?.field("always"), "policy", policyNames)
  for (const bearers of ["teams", "keys"]) {
    for (const { here } of section?.field(bearers)?.entries ?? []) known(here, "policy", policyNames)
  }
}

const checkFields = (here: Here): void => {
  const kind = here.field("kind")?.text
  if (kind === "regex") {
    if (!here.has("pattern")) here.missing("pattern", "a pattern in RE2's syntax", { when: " for kind: regex" })
    if (!here.has("max_length")) {
      here.missing("max_length", `the longest match in characters, 1 to ${LONGEST_MATCH}`, { when: " for kind: regex" })
    }
  }
  if (kind === "webhook") {
    if (!here.has("url")) here.missing("url", "the address of the receiver", { when: " for kind: webhook" })
    if (!here.has("secret"))
      here.missing("secret", "what signs the messages, as ${NAME}", { when: " for kind: webhook" })
    here.field("action")?.problem("the receiver of a webhook decides what is done; leave `action` out", "nothing")
  } else if (!here.has("action")) here.missing("action", "what a match does: deny, mask or flag")
  for (const [field, of] of [
    ["pattern", "regex"],
    ["max_length", "regex"],
    ["detect", "pii"],
    ...["url", "secret", "timeout", "on_error", "allow_private"].map((one) => [one, "webhook"] as const)
  ] as const) {
    const found = kind === of ? undefined : here.field(field)
    if (kind !== undefined)
      found?.problem(`${JSON.stringify(field)} is a field of kind: ${of}; leave it out`, "nothing")
  }
}

export const known = (names: Here | undefined, what: "check" | "policy", all: ReadonlyArray<string>): void => {
  for (const one of names?.items ?? []) {
    const { text: written } = one
    if (written === undefined || all.includes(written)) continue
    const declared = all.length === 0 ? "there is none" : `there are: ${listed(all)}`
    one.problem(
      `${one.shown} is not the name of a ${what}${didYouMean(written, all)} (${declared})`,
      `the name of a ${what}`
    )
  }
}

export const guardrailSettings = (read: typeof Guardrails.Type): { readonly guardrails?: GuardrailSettings } =>
  read.checks.length === 0 && read.policies.length === 0
    ? {}
    : {
        guardrails: {
          checks: read.checks.map(([name, check]) => checkOf(name, check)),
          policies: new Map(read.policies),
          always: read.always,
          teams: new Map(read.teams),
          keys: new Map(read.keys)
        }
      }

const checkOf = (name: string, check: typeof Check.Type): GuardrailCheck => {
  const { action = "deny", kind, message } = check
  const any = { name, action, message }
  switch (kind) {
    case "secrets":
      return { ...any, kind }
    case "pii":
      return { ...any, kind, detect: check.detect ?? personalData }
    case "regex":
      return { ...any, kind, pattern: check.pattern ?? "", maxLength: check.max_length ?? LONGEST_MATCH }
    case "webhook": {
      const { allow_private: allowPrivate = false, on_error: onError = "deny", timeout: timeoutMs = 1_000 } = check
      const { secret = Redacted.make(""), url = "" } = check
      return { name, message, kind, url, secret, timeoutMs, onError, allowPrivate }
    }
  }
}
