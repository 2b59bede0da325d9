import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { describeSettings } from "../../src/configuration/Describe.ts"
import { environment, fixture, parse, withBasics } from "../../../gateway/test/config/Support.ts"

const described = (text: string) => describeSettings(Result.getOrThrowWith(parse(text), (invalid) => invalid))

describe("describeSettings", () => {
  it("says what would run", () => {
    assert.strictEqual(described(fixture("operating.yaml")), fixture("operating.txt").trimEnd())
  })

  it("tells timeouts that differ, the demo's pace and an IPv6 host", () => {
    const text = described(`
master_key: \${GATEWAY_MASTER_KEY}
server: { host: "::1", max_body_mb: 0.5 }
providers: { demo: { latency: 20ms, tokens_per_second: 80 } }
deployments: [{ provider: demo, model: mini, timeouts: { connect: 250ms, response: 90s, total: 5m }, priority: 2 }]`)
    assert.include(text, "http://[::1]:4100, bodies up to 0.5 MB")
    const few =
      "providers: { demo: { max_connections: 64 } }\ndeployments: [demo/mini]\nmaster_key: ${GATEWAY_MASTER_KEY}"
    assert.include(described(few), "  demo  demo, openai-chat, no key, at most 64 connections\n")
    assert.include(text, "  demo  demo, openai-chat, no key, 20ms latency, 80 tokens per second\n")
    assert.include(
      text,
      "  demo/mini  price from the catalogue, priority 2, timeouts connect 250ms / response 90s / total 300s\n"
    )
    assert.include(text, "  standard  score 0 to 1: demo/mini")
  })

  it("says that prompts are kept, where they are", () => {
    const keeping = (keep: string) =>
      described(withBasics(`router: { buckets: { a: demo/mini }, keep_prompts: ${keep} }`))
    assert.include(keeping("text"), ", keeps prompts: text\n")
    assert.notInclude(keeping("off"), "keeps prompts")
  })

  it("names checks with their actions, and where policies hold", () => {
    const text = described(
      withBasics(`guardrails:
  checks: { keys: { kind: secrets, action: deny }, mail: { kind: pii, detect: [email], action: mask } }
  policies: { strict: { request: [keys, mail] } }
  teams: { red: [strict] }`)
    )
    assert.include(text, "guardrails  keys (deny), mail (mask); red: strict\n")
  })

  it("names whose content is logged, and where", () => {
    const text = described(
      withBasics(`content: { keys: { ci: full }, sinks: { archive: { kind: jsonl, folder: logs } } }`)
    )
    assert.include(text, "content     none by default, ci: full, at most full; to archive (jsonl)\n")
  })

  it("holds no secret", () => {
    const text = `${described(fixture("operating.yaml"))}${described(withBasics(""))}`
    for (const value of Object.values(environment)) assert.notInclude(text, value)
  })
})
