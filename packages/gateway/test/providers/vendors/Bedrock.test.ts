/** Bedrock as it is configured, priced and bounded. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { describeSettings } from "../../../../model-gateway/src/configuration/Describe.ts"
import { parseSettings } from "../../../src/config/ParseSettings.ts"
import type { PriceSheet } from "../../../src/core/domain/pricing/Pricing.ts"
import { knownVendors } from "../../../src/providers/vendors/Vendors.ts"
import { resolved } from "./Resolved.ts"

const parsed = (provider: string) =>
  parseSettings(
    `master_key: "p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl"\nproviders: { ${provider} }\ndeployments: ["bedrock/us.amazon.nova-lite-v1:0"]\n`,
    { file: "gateway.yaml", vendors: knownVendors, environment: {}, readFile: () => Result.fail("no such file") }
  )

const problems = (provider: string): string => {
  const result = parsed(provider)
  return Result.isFailure(result) ? result.failure.message : ""
}

describe("the configuration of Bedrock", () => {
  it.each([
    ["bedrock: {}", /"region" is required: an AWS region, such as region: "\$\{AWS_REGION\}"/],
    ["bedrock: { region: us-east-1, access_key_id: AKIA }", /"secret_access_key" is required beside access_key_id/],
    ["bedrock: { region: us-east-1, session_token: t0ken }", /"access_key_id" is required beside session_token/],
    ["bedrock: { region: 'us east' }", /region/],
    ["bedrock: { region: us-east-1, guardrail_version: 1 }", /guardrail/],
    [
      "bedrock: { vendor: openai, api_key: k, region: us-east-1 }",
      /only the vendors? .*bedrock.* ha(?:s|ve) this field/
    ]
  ] as const)("is refused with what would be right: %s", (provider, told) => {
    assert.match(problems(provider), told)
  })

  it.each([
    "bedrock: { region: us-east-1 }",
    "bedrock: { region: us-east-1, profile: prod }",
    "bedrock: { region: us-east-1, api_key: [a, b] }",
    'bedrock: { base_url: "https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com" }',
    "bedrock: { vendor: aws-bedrock, region: us-east-1 }"
  ])("needs a region, and no key: %s", (provider) => {
    assert.strictEqual(problems(provider), "")
  })

  it("is shown without its credentials", () => {
    const secrets = "access_key_id: AKIASHOWN, secret_access_key: hunter2, session_token: t0ken"
    const settings = Result.getOrThrow(parsed(`bedrock: { region: us-east-1, ${secrets} }`))
    const shown = describeSettings(settings)
    assert.match(shown, /bedrock .*region us-east-1/)
    for (const secret of ["AKIASHOWN", "hunter2", "t0ken"]) {
      assert.notInclude(shown, secret)
      assert.notInclude(JSON.stringify(settings), secret)
    }
  })
})

const at = (model: string, shown: Record<string, string> = { region: "eu-west-1" }) =>
  resolved("bedrock", model, { options: { shown, secret: { access_key_id: Redacted.make("a") } } })

const rates = (sheet: PriceSheet | undefined) => sheet?.ratesAt(0).base

describe("a deployment of Bedrock", () => {
  it("is in its region", () => {
    assert.strictEqual(at("us.amazon.nova-lite-v1:0").baseUrl, "https://bedrock-runtime.eu-west-1.amazonaws.com")
  })

  it("serves what its model has: Anthropic's API, Converse, or vectors", () => {
    const of = (model: string) => [...(at(model).operations ?? [])]
    assert.deepStrictEqual(of("eu.anthropic.claude-haiku-4-5-20251001-v1:0"), ["chat", "messages", "count_tokens"])
    assert.deepStrictEqual(of("anthropic.claude-3-haiku-20240307-v1:0"), ["chat", "messages"])
    for (const model of ["anthropic.claude-v2:1", "us.meta.llama4-maverick-17b-instruct-v1:0", "us.deepseek.r1-v1:0"]) {
      assert.deepStrictEqual(of(model), ["chat"])
    }
    for (const model of [
      "cohere.embed-v4:0",
      "amazon.titan-embed-text-v2:0",
      "amazon.nova-2-multimodal-embeddings-v1:0"
    ]) {
      assert.deepStrictEqual(of(model), ["embeddings"])
    }
  })

  it("is known with any region in front, and in an ARN", () => {
    const names = [
      "anthropic.claude-sonnet-4-5-20250929-v1:0",
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "arn:aws:bedrock:us-east-1:012345678901:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
    ]
    for (const name of names) {
      const { bounds, contextWindow, hidesReasoning, maxOutputTokens, supports } = at(name)
      assert.deepStrictEqual([contextWindow, maxOutputTokens, hidesReasoning], [200_000, 64_000, "asked"], name)
      assert.isTrue(supports.has("images") && supports.has("json_schema"), name)
      assert.strictEqual(bounds?.reasoning, "inside", name)
      assert.isAbove(bounds?.image?.({ width: 1000, height: 1000 }, undefined) ?? 0, 1_000, name)
    }
    // The global profile costs a tenth less than one of a region.
    assert.isBelow(rates(at(names[2]!).price)!.input, rates(at(names[1]!).price)!.input)
  })

  it("pays twice the input for an hour in the cache of Anthropic's models, as no list says", () => {
    const { cacheWrite, cacheWrite1h, input } = rates(at("us.anthropic.claude-sonnet-4-5-20250929-v1:0").price)!
    assert.deepStrictEqual([cacheWrite / input, cacheWrite1h / input], [1.25, 2])
  })

  it("has prices of its tiers", () => {
    const { price } = at("us.amazon.nova-lite-v1:0")
    const of = (tier: string) => rates(price?.serviceTiers?.get(tier))!.output / rates(price)!.output
    assert.deepStrictEqual([of("flex"), of("priority")], [0.5, 1.75])
  })

  it("has the price of its very model, not that of a similar name", () => {
    const input = (model: string) => rates(at(model).price)?.input
    assert.strictEqual(input("amazon.titan-embed-text-v1"), 100_000)
    assert.strictEqual(input("amazon.titan-embed-text-v2:0"), 20_000)
    assert.isUndefined(input("amazon.titan-embed-image-v1"))
  })

  it("is bounded by its window where nobody says that thoughts are within the output limit", () => {
    assert.isUndefined(at("us.amazon.nova-2-lite-v1:0").bounds?.reasoning)
    assert.strictEqual(at("us.amazon.nova-2-lite-v1:0").contextWindow, 1_000_000)
    for (const model of ["us.amazon.nova-lite-v1:0", "openai.gpt-oss-120b-1:0", "us.deepseek.r1-v1:0"]) {
      assert.strictEqual(at(model).bounds?.reasoning, "inside")
    }
  })

  it("is read to its end when its caller leaves, as it is billed to its end", () => {
    assert.strictEqual(at("us.amazon.nova-lite-v1:0").billsAfterDisconnect, "all")
  })
})
