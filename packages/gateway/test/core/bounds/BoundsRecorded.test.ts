/** What was billed in recorded exchanges is never more than the bound, nor than a count that may stand for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { boundOf, mostUsed } from "../../../src/core/bounds/Bounds.ts"
import type { Bound } from "../../../src/core/domain/pricing/Bound.ts"
import { closerInput } from "../../../src/core/bounds/CountedInput.ts"
import type { Deployment } from "../../../src/core/domain/Deployment.ts"
import { measure } from "../../../src/core/media/Measure.ts"
import { parseChat } from "../../../src/core/operations/chat/ParseChat.ts"
import { Unsupported } from "../../../src/core/domain/Failures.ts"
import { inputTokens, outputTokens, type Usage } from "../../../src/core/domain/Usage.ts"
import { resolveDeployments } from "../../../src/providers/catalogue/ResolveDeployments.ts"
import { parseJson } from "../../../src/providers/json/BoundedJson.ts"
import { usageOf } from "../../../src/providers/protocols/openai/answer/OpenAiChatUsage.ts"
import { withDefaults } from "../../../src/config/sections/DeploymentsSection.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../../support/Transcripts.ts"
import { factsOf } from "../../support/CatalogueFacts.ts"
import { anthropicBounds } from "../../../src/providers/vendors/AnthropicBounds.ts"

sayWhenMissing("bounds against recorded usage")

const chats = families(
  "openai.chat",
  "azure.chat",
  "deepseek.chat",
  "groq.chat",
  "mistral.chat",
  "openrouter.chat",
  "zai.chat",
  "cerebras.chat",
  "huggingface.chat",
  "ollama.chat_",
  "snowflake.chat",
  "crusoe.chat",
  "together.chat"
)

const deploymentFor = (family: string, model: string): Deployment => {
  const vendor = family.startsWith("openai.") ? "openai" : "openai-compatible"
  const [found] = resolveDeployments({
    providers: [
      {
        name: "p",
        vendor,
        protocol: "openai-chat",
        baseUrl: "http://x",
        apiKeys: [],
        maxConnections: 4096,
        latencyMs: undefined,
        tokensPerSecond: undefined
      }
    ],
    deployments: [withDefaults({ provider: "p", model })]
  })
  return found!
}

const claude: Deployment = {
  ...deploymentFor("anthropic.messages", "claude-sonnet-4-5"),
  protocol: "anthropic-messages",
  bounds: anthropicBounds(factsOf("anthropic", "claude-sonnet-4-5"))
}

/** Told in the body, or in the last event that has it. */
const usageTold = ({ response }: Exchange): Usage | undefined => {
  const text = Buffer.from(response.bytes).toString("utf8")
  const bodies = [text, ...text.split(/\r?\n/).map((line) => line.replace(/^data:\s*/, ""))]
  let usage: Usage | undefined
  for (const body of bodies) {
    const json = parseJson(body) as JsonObject | undefined
    const raw = json?.["usage"] ?? (json?.["x_groq"] as JsonObject | undefined)?.["usage"]
    usage = usageOf(raw) ?? usage
  }
  return usage
}

describe.skipIf(!hasData)("bounds on recorded exchanges", () => {
  for (const family of chats) {
    it.effect(`${family}: nothing was billed above its bound`, () =>
      Effect.gen(function* () {
        let bounded = 0
        for (const exchange of loadFamily(family)) {
          const { body } = exchange.request
          const usage = exchange.response.status === 200 ? usageTold(exchange) : undefined
          if (body === undefined || usage === undefined) continue
          const read = parseChat({ model: "m", ...body }, Buffer.byteLength(JSON.stringify(body)))
          if (Result.isFailure(read)) continue
          const request = read.success
          const deployment = deploymentFor(family, request.model)
          const measures = yield* measure(request.media, undefined)
          // Without a window, so that what no rule bounds is left out.
          const bounds = { ...deployment.bounds, reasoning: "inside" as const }
          const bound = boundOf(request, { ...deployment, contextWindow: undefined, bounds }, measures)
          if (bound instanceof Unsupported) continue
          bounded++
          const { audioInput = 0, input } = mostUsed(bound, bound.input, 0, 1, 0)
          const billed = inputTokens(usage)
          assert.isAtMost(billed, input + audioInput, exchange.name)
          const closer = yield* closerInput(request, deployment, bound)
          assert.isAtMost(billed, closer + audioInput, `${exchange.name}, counted`)
          const { maxOutput } = request
          if (maxOutput === undefined) continue
          const most = mostUsed(bound, bound.input, maxOutput, request.choices, 0).output
          assert.isAtMost(outputTokens(usage), most, `${exchange.name}, output`)
        }
        assert.isAbove(bounded, family.startsWith("openai.") ? 250 : 0)
      })
    )
  }

  it.effect("anthropic.messages: texts and tools are never billed above their bytes and frame, nor above a count", () =>
    Effect.gen(function* () {
      let seen = 0
      for (const { name, request, response } of loadFamily("anthropic.messages")) {
        const { body } = request
        const text = Buffer.from(response.bytes).toString("utf8")
        const billed = Math.max(0, ...[...text.matchAll(/"input_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens)))
        const cached = Math.max(
          0,
          ...[...text.matchAll(/"cache_\w+_input_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens))
        )
        if (body === undefined || billed === 0) continue
        const whole = JSON.stringify(body)
        // Pictures, files and what runs at the vendor have bounds of their own.
        if (/"type":"(?:image|document|file)"|_20\d{6}"|mcp_servers|container_upload/.test(whole)) continue
        const { system, messages, tools } = body
        const content = JSON.stringify({ system, messages })
        const format = "output_config" in body || "output_format" in body ? { type: "json_schema" } : undefined
        const asChat = {
          model: "m",
          messages: [{ role: "user", content }],
          tools: tools ?? [],
          response_format: format
        }
        const asked = Result.getOrThrow(parseChat(asChat, Buffer.byteLength(JSON.stringify(asChat))))
        assert.isAtMost(billed + cached, asked.textBound, name)
        const bound = boundOf(asked, claude, yield* measure([], undefined)) as Bound
        assert.isAtMost(billed + cached, yield* closerInput(asked, claude, bound), `${name}, counted`)
        seen++
      }
      assert.isAbove(seen, 80)
    })
  )

  it.effect("gemini: texts and tools are never billed above a count", () =>
    Effect.gen(function* () {
      const deployment = deploymentFor("gemini", "gemini-2.5-pro")
      let seen = 0
      for (const family of families(
        "gemini.generateContent",
        "gemini.streamGenerateContent",
        "vertex.generateContent"
      )) {
        for (const { name, request, response } of loadFamily(family)) {
          const { body } = request
          const text = Buffer.from(response.bytes).toString("utf8")
          const billed = Math.max(
            0,
            ...[...text.matchAll(/"promptTokenCount":\s*(\d+)/g)].map(([, told]) => Number(told))
          )
          if (body === undefined || billed === 0) continue
          const { tools, ...rest } = body
          const content = JSON.stringify(rest)
          // Pictures, files and what runs at the vendor have bounds of their own.
          if (
            /inline_?data|file_?data|google_?search|code_?execution|url_?context|cached_?content/i.test(
              JSON.stringify(body)
            )
          ) {
            continue
          }
          // As they are they are no tools of this API, and would be taken for something that runs at the vendor.
          const listed = Array.isArray(tools) && tools.length > 0 ? { functions: tools as ReadonlyArray<unknown> } : {}
          const asChat = { model: "m", messages: [{ role: "user", content }], ...listed }
          const asked = Result.getOrThrow(parseChat(asChat, Buffer.byteLength(JSON.stringify(asChat))))
          const bound = boundOf(asked, deployment, yield* measure([], undefined)) as Bound
          assert.isAtMost(billed, yield* closerInput(asked, deployment, bound), name)
          seen++
        }
      }
      assert.isAbove(seen, 100)
    })
  )
})
