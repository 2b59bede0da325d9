/** The requests that are damaged: one of each kind that clients and administrators send. */

/** What the run has made before: keys and where they may be used. */
export interface World {
  readonly host: string
  readonly masterKey: string
  /** Without limits to speak of; with a limit and a budget that are soon used up. */
  readonly key: string
  readonly poorKey: string
  /** Ids of keys that may be changed, and of one that may be revoked. */
  readonly victims: ReadonlyArray<string>
}

export interface Template {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly credential: "virtual" | "poor" | "master" | "none"
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly body?: unknown
  /** Its provider misbehaves: it may end in an upstream error. */
  readonly mayFail?: boolean
}

const messages = [{ role: "user", content: "Say “hi”, twice: hi hi" }]
const parts = [
  { type: "text", text: "What is this?" },
  { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
  { type: "image_url", image_url: { url: "https://images.example/a.png" } }
]
const tools = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Weather of a city",
      strict: true,
      parameters: {
        type: "object",
        properties: {
          city: { type: "string", enum: ["Berlin", "Rome"] },
          days: { type: "array", items: { type: "integer" } }
        },
        required: ["city"],
        additionalProperties: false
      }
    }
  }
]
const history = [
  { role: "system", content: "Be brief" },
  { role: "user", content: parts },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }]
  },
  { role: "tool", tool_call_id: "call_1", content: "22 °C" },
  { role: "user", content: "And “tomorrow”? 🜁" }
]

const chat = (name: string, body: object, more: Partial<Template> = {}): Template => ({
  name,
  method: "POST",
  target: "/v1/chat/completions",
  credential: "virtual",
  body: { messages, ...body },
  ...more
})
const post = (target: string, name: string, body: object, more: Partial<Template> = {}): Template => ({
  name,
  method: "POST",
  target,
  credential: "virtual",
  body,
  ...more
})
const input = [
  { role: "user", content: [{ type: "input_text", text: "Hi" }] },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
  { type: "function_call_output", call_id: "call_1", output: "22 °C" },
  { role: "user", content: "And “tomorrow”? 🜁" }
]
const blocks = [
  { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "22 °C" }] }
]
/** A form with a recording of no sound. */
const form = [
  '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\ndemo/transcribe\r\n',
  '--x\r\nContent-Disposition: form-data; name="response_format"\r\n\r\nverbose_json\r\n',
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n',
  "RIFF$\u0000\u0000\u0000WAVEfmt \r\n--x--\r\n"
].join("")

const get = (target: string, credential: Template["credential"]): Template => ({
  name: `GET ${target}`,
  method: "GET",
  target,
  credential
})

/** What came after chat. */
const others: ReadonlyArray<Template> = [
  ...["demo/mini", "up/good", "claude/good"].flatMap((model) =>
    [false, true].flatMap((stream) => [
      post("/v1/responses", `responses, ${model}, ${stream}`, {
        model,
        stream,
        input,
        instructions: "Be brief",
        tools: [{ type: "function", ...tools[0]!.function }],
        text: { format: { type: "text" } },
        reasoning: { effort: "low", summary: "auto" },
        max_output_tokens: 50
      }),
      post("/v1/messages", `messages, ${model}, ${stream}`, {
        model,
        stream,
        system: [{ type: "text", text: "Be brief" }],
        messages: blocks,
        tools: [{ name: "weather", description: "Weather", input_schema: tools[0]!.function.parameters }],
        tool_choice: { type: "auto" },
        stop_sequences: ["x"],
        max_tokens: 50
      })
    ])
  ),
  post("/v1/responses", "responses, garbage", { model: "up/bad", input: "Hi", stream: true }, { mayFail: true }),
  post("/v1/messages", "messages, garbage", { model: "claude/bad", messages, max_tokens: 9 }, { mayFail: true }),
  post("/v1/messages/count_tokens", "count_tokens", { model: "demo/mini", messages: blocks, system: "Be brief" }),
  post("/v1/responses/compact", "compact", { model: "demo/mini", input }),
  get("/v1/responses/resp_nothing", "virtual"),
  get("/v1/responses/resp_nothing/input_items?limit=3&order=asc&after=x", "virtual"),
  post("/v1/completions", "completions", { model: "demo/mini", prompt: "Once", max_tokens: 20, stream: true }),
  post("/v1/embeddings", "embeddings", { model: "demo/embed", input: ["a", "b 🜁"], dimensions: 8 }),
  post("/v1/embeddings", "embeddings, tokens", { model: "auto", input: [[1, 2, 3]], encoding_format: "base64" }),
  post("/v1/moderations", "moderations", { input: [{ type: "text", text: "Hi" }] }),
  post("/v1/images/generations", "images", { model: "demo/picture", prompt: "A cat", n: 2, size: "256x256" }),
  post("/v1/images/generations", "images, streamed", { prompt: "A cat", stream: true, partial_images: 2 }),
  post("/v1/rerank", "rerank", {
    model: "demo/rerank",
    query: "Which?",
    documents: ["One", { text: "Two" }],
    top_n: 1
  }),
  post("/v1/audio/speech", "speech", { model: "demo/speech", input: "Hello", voice: "alloy", response_format: "wav" }),
  {
    ...post("/v1/audio/transcriptions", "transcriptions", {}),
    headers: [["Content-Type", "multipart/form-data; boundary=x"]],
    body: form
  },
  post("/v1/embeddings", "idempotent", { model: "demo/embed", input: "a" }, { headers: [["Idempotency-Key", "k1"]] })
]

const admin = (method: string, target: string, body?: unknown): Template => ({
  name: `${method} ${target.replace(/key_\w+/, "{id}")}`,
  method,
  target,
  credential: "master",
  body
})

export const templatesFor = ({ victims }: World): ReadonlyArray<Template> => [
  chat("chat", { model: "up/good", max_tokens: 50, temperature: 0.7 }),
  chat("chat, streamed", { model: "up/good", stream: true, stream_options: { include_usage: true } }),
  chat("chat, demo", { model: "demo/mini", messages: history, tools, tool_choice: "auto", n: 2 }),
  chat("chat, demo, streamed", {
    model: "demo/mini",
    messages: history,
    tools,
    tool_choice: { type: "function", function: { name: "weather" } },
    stream: true
  }),
  chat("chat, auto", {
    model: "auto",
    messages: history,
    metadata: { a: "b" },
    stop: ["\n"],
    user: "u",
    logit_bias: { 50256: -100 }
  }),
  chat("chat, schema", {
    model: "demo/standard",
    response_format: {
      type: "json_schema",
      json_schema: { name: "s", strict: true, schema: tools[0]!.function.parameters }
    }
  }),
  chat(
    "chat, options",
    { model: "alias", seed: 1, logprobs: true, top_logprobs: 2 },
    {
      headers: [
        ["X-Gateway-Strict", "0"],
        ["X-Gateway-No-Fallback", "1"],
        ["X-Gateway-Tags", "a,b"],
        ["X-Request-Id", "mine"],
        ["X-Gateway-Stream-Recovery", "buffer"]
      ]
    }
  ),
  chat("chat, Anthropic", {
    model: "claude/good",
    messages: history,
    tools,
    reasoning_effort: "low",
    max_tokens: 2_000
  }),
  chat("chat, Anthropic, streamed", { model: "claude/good", messages: history, stream: true, stop: "x" }),
  chat("garbage", { model: "up/bad" }, { mayFail: true }),
  chat(
    "garbage, streamed",
    { model: "up/bad", stream: true, stream_options: { include_usage: true } },
    { mayFail: true }
  ),
  chat("garbage, Anthropic", { model: "claude/bad" }, { mayFail: true }),
  chat("garbage, Anthropic, streamed", { model: "claude/bad", stream: true }, { mayFail: true }),
  chat("garbage, demo", { model: "demo/garbage", stream: true }, { mayFail: true }),
  chat("failover", { model: "shaky" }, { mayFail: true }),
  chat("failover, streamed", { model: "shaky", stream: true }, { mayFail: true }),
  ...others,
  chat("chat, poor", { model: "up/good", max_tokens: 100 }, { credential: "poor" }),
  get("/v1/models", "virtual"),
  get("/v1/models/up%2Fgood", "virtual"),
  get("/v1/key", "virtual"),
  { ...get("/v1/models", "virtual"), name: "HEAD /v1/models", method: "HEAD" },
  get("/healthz", "none"),
  get("/readyz", "none"),
  get("/openapi.json", "none"),
  admin("POST", "/admin/keys", {
    name: "fuzz",
    team: "red",
    models: ["up/*", "demo/mini"],
    limits: { rpm: 60, tpm: 10_000, max_parallel: 3 },
    budgets: [{ usd: 1.5, window: "day", time_zone: "Europe/Berlin" }],
    expires_at: "2030-01-01T00:00:00Z",
    tags: ["a"],
    metadata: { owner: { name: "x", list: [1, 2] } },
    on_unknown_price: "deny"
  }),
  get("/admin/keys?limit=10&team=red&status=active&q=fuzz", "master"),
  admin("GET", `/admin/keys/${victims[0]}`),
  admin("PATCH", `/admin/keys/${victims[0]}`, {
    name: "x",
    limits: { rpm: 5 },
    budget_usd: 3,
    disabled: false,
    metadata: { a: null }
  }),
  admin("POST", `/admin/keys/${victims[1]}/rotate`, { grace_seconds: 60 }),
  admin("DELETE", `/admin/keys/${victims[2]}`),
  admin("GET", "/admin/teams/red"),
  admin("PUT", "/admin/teams/red", {
    limits: { rpm: 1_000 },
    budgets: [{ usd: 100, window: "month", time_zone: "UTC" }]
  }),
  admin("GET", "/admin/deployments"),
  admin("POST", "/admin/deployments/disable", { deployments: ["demo/large"] }),
  admin("POST", "/admin/deployments/enable", { deployment: "demo/large" }),
  get("/admin/spend?from=2026-01-01&to=2030-01-01T00:00:00Z&tz=Europe/Berlin&group_by=key,model,day,tag", "master"),
  get("/nothing/here", "none")
]
