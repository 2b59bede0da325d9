/** Requests for a response with nonsense in every place: each is answered or refused, and none is the gateway's fault. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { claude } from "./Claude.ts"
import { response } from "./Wire.ts"

const NONSENSE: ReadonlyArray<unknown> = [
  null,
  "",
  "x",
  5,
  -1,
  true,
  [],
  {},
  [null],
  [5],
  [[]],
  [{}],
  [{ type: "x" }],
  { type: "x" },
  { type: 5, name: 5, tools: 5 },
  [{ type: "namespace", name: 5, tools: "x" }],
  [{ type: "namespace", tools: [null, { type: "function" }, { type: "custom", name: 5, format: 5 }] }],
  [{ type: "function", name: "a", parameters: 5, strict: "x" }],
  [{ type: "custom", name: "a", format: { type: "grammar" } }],
  { format: 5 },
  { format: { type: "json_schema" } },
  { format: { type: 5 } },
  { type: "allowed_tools", tools: 5 },
  { type: "function", name: {} }
]

const FIELDS = [
  "instructions",
  "tools",
  "tool_choice",
  "text",
  "reasoning",
  "include",
  "metadata",
  "truncation",
  "stream_options",
  "max_output_tokens",
  "max_tool_calls",
  "service_tier",
  "prompt",
  "previous_response_id",
  "parallel_tool_calls",
  "context_management"
]

const TYPES = [
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "computer_call_output",
  "additional_tools",
  "tool_search_output",
  "item_reference",
  "compaction",
  "web_search_call",
  "nobody"
]

const ITEM_FIELDS = [
  "role",
  "content",
  "output",
  "tools",
  "summary",
  "encrypted_content",
  "call_id",
  "name",
  "id",
  "arguments",
  "input"
]

const bodies: ReadonlyArray<object> = [
  ...NONSENSE.map((input) => ({ input })),
  ...FIELDS.flatMap((field) => NONSENSE.map((value) => ({ input: "Hi", [field]: value }))),
  ...TYPES.flatMap((type) =>
    ITEM_FIELDS.flatMap((field) =>
      (field === "encrypted_content" ? [5, "gw1.b3BlbmFp..x"] : [5, [null], {}]).map((value) => ({
        input: [
          { role: "user", content: "Hi" },
          { type, role: type === "message" ? "user" : undefined, [field]: value }
        ]
      }))
    )
  )
]

describe("nonsense in a request for a response", () => {
  it.live("is answered or refused, whoever serves it", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream((one) =>
        one.path.endsWith("/responses")
          ? { body: response("ok") }
          : one.path.endsWith("/messages")
            ? claude({ ...one, body: { messages: [{}] } })
            : { body: completion("ok") }
      )
      const gateway = yield* startGateway({
        yaml: `
providers:
  openai: { base_url: "${baseUrl}", api_key: k }
  anthropic: { base_url: "${baseUrl}", api_key: k }
  chat: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments: [openai/gpt-5-mini, anthropic/claude-haiku-4-5, { provider: chat, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [{ window: "day", limit: 1e12, timeZone: "UTC" }] })
      for (const model of ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5", "chat/m"]) {
        yield* Effect.forEach(
          bodies,
          (fields) =>
            Effect.map(
              call(gateway.url, {
                path: "/v1/responses",
                key: secret,
                body: { model, max_output_tokens: 50, ...fields }
              }),
              ({ status, text }) =>
                assert.include([200, 400, 404], status, `${model} ${JSON.stringify(fields)} ${text}`)
            ),
          { concurrency: 4, discard: true }
        )
      }
      assert.isAbove(asked.length, 600)
      for (const { body } of asked) assert.notInclude(JSON.stringify(body), "gw1.")
    })
  )
})
