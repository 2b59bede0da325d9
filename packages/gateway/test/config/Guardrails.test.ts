import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { loadPatterns } from "../../src/core/guardrails/PatternRule.ts"
import { parse, problemsOf, withBasics } from "./Support.ts"

await Effect.runPromise(loadPatterns)

const settingsOf = (text: string) => Result.getOrThrow(parse(text))

const guardrails = (text: string) => withBasics(`guardrails:\n${text.replaceAll(/^/gm, "  ")}`)

describe("guardrails in the configuration", () => {
  it("are left out where nothing is configured", () => assert.isUndefined(settingsOf(withBasics("")).guardrails))

  it("are read with their defaults", () => {
    const { guardrails: read } = settingsOf(
      guardrails(`checks:
  pii: { kind: pii, action: mask }
  name: { kind: regex, pattern: 'a+', max_length: 9, action: flag }
policies:
  strict: { request: [pii, name] }
always: [strict]
keys: { ci: [strict] }`)
    )
    assert.deepStrictEqual(read?.checks, [
      { name: "pii", action: "mask", message: undefined, kind: "pii", detect: ["email", "credit_card", "iban"] },
      { name: "name", action: "flag", message: undefined, kind: "regex", pattern: "a+", maxLength: 9 }
    ])
    assert.deepStrictEqual(read?.policies.get("strict"), { request: ["pii", "name"], response: [], media: "allow" })
    assert.deepStrictEqual(read?.keys.get("ci"), ["strict"])
  })

  it.each([
    ["checks: { a: { kind: pii } }", '"action" is required: what a match does: deny, mask or flag'],
    [
      "checks: { a: { kind: names, action: deny } }",
      '"names" is not a kind of check (allowed: secrets, pii, regex, webhook)'
    ],
    ["checks: { a: { kind: pii, action: drop } }", '"drop" is not an action (allowed: deny, mask, flag)'],
    [
      "checks: { a: { kind: pii, action: deny, detect: [emails] } }",
      '"emails" is not a kind of personal data; did you mean "email"?'
    ],
    ["checks: { a: { kind: regex, action: deny } }", '"pattern" is required for kind: regex'],
    [
      "checks: { a: { kind: regex, action: deny, pattern: x } }",
      '"max_length" is required for kind: regex: the longest match in characters, 1 to 1024'
    ],
    [
      "checks: { a: { kind: regex, action: deny, pattern: '(', max_length: 9 } }",
      "RE2 does not accept this pattern: error parsing regexp: missing closing ): `(`"
    ],
    [
      "checks: { a: { kind: regex, action: deny, pattern: 'a(?=b)', max_length: 9 } }",
      "RE2 does not accept this pattern"
    ],
    [
      "checks: { a: { kind: regex, action: deny, pattern: x, max_length: 2000 } }",
      "2000 is not a whole number from 1 to 1024"
    ],
    ["checks: { a: { kind: secrets, action: deny, pattern: x } }", '"pattern" is a field of kind: regex; leave it out'],
    ["checks: { 'a b': { kind: secrets, action: deny } }", "this is not a name of letters, digits"],
    ["checks: { a: { kind: webhook } }", '"url" is required for kind: webhook: the address of the receiver'],
    [
      "checks: { a: { kind: webhook, url: 'https://a.example' } }",
      '"secret" is required for kind: webhook: what signs the messages, as ${NAME}'
    ],
    [
      "checks: { a: { kind: webhook, url: 'https://a.example', secret: abc } }",
      "this secret is shorter than 16 characters (it is not shown)"
    ],
    [
      "checks: { a: { kind: webhook, url: 'ftp://a.example', secret: 0123456789abcdef } }",
      "this address is neither http:// nor https://"
    ],
    [
      "checks: { a: { kind: webhook, url: 'https://a.example', secret: 0123456789abcdef, action: deny } }",
      "the receiver of a webhook decides what is done; leave `action` out"
    ],
    [
      "checks: { a: { kind: webhook, url: 'https://a.example', secret: 0123456789abcdef, on_error: pass } }",
      '"pass" is not a choice for failures (allowed: deny, allow)'
    ],
    [
      "checks: { a: { kind: secrets, action: deny, on_error: allow } }",
      '"on_error" is a field of kind: webhook; leave it out'
    ],
    ["always: [strict]", '"strict" is not the name of a policy (there is none)'],
    [
      "checks: { pii: { kind: pii, action: deny } }\npolicies: { a: { request: [pi] } }",
      '"pi" is not the name of a check; did you mean "pii"? (there are: pii)'
    ],
    ["policies: { strict: {} }\nteams: { t: [strikt] }", 'did you mean "strict"? (there are: strict)']
  ])("are refused with a sentence for %j", (text, sentence) => {
    const problems = problemsOf(guardrails(text))
    assert.isTrue(
      problems.some((problem) => problem.includes(sentence) && /^gateway\.yaml:\d+:\d+ guardrails\./.test(problem)),
      JSON.stringify(problems)
    )
  })
})
