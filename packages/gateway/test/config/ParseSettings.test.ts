import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { defaultCache } from "../../src/core/domain/Cache.ts"
import type { Settings } from "../../src/core/domain/Settings.ts"
import { environment, fixture, masterKey, parse, problemsOf, withBasics } from "./Support.ts"

const settingsOf = (text: string, file = "gateway.yaml"): Settings =>
  Result.getOrThrowWith(parse(text, { file }), (invalid) => invalid)

/** Redacted values compare by identity; tests want to see them. Places differ between languages. */
const revealed = ({ places: _places, warnings: _warnings, ...settings }: Settings) => ({
  ...settings,
  masterKey: Redacted.value(settings.masterKey),
  providers: settings.providers.map((provider) => ({ ...provider, apiKeys: provider.apiKeys.map(Redacted.value) }))
})

const failoverDefaults = {
  retryBudget: { percent: 20, extra: 3, windowMs: 10_000 },
  sessionAffinity: true,
  finishAbandonedMs: 5_000
}
const defaultTimeouts = { connect: 5_000, firstToken: undefined, response: undefined, idle: 60_000, total: 900_000 }

const namedOnly = (provider: string, model: string) => ({
  id: `${provider}/${model}`,
  provider,
  model,
  price: undefined,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  weight: 1,
  priority: 0,
  maxInFlight: undefined,
  timeouts: defaultTimeouts,
  supports: undefined
})

const provider = {
  baseUrl: undefined,
  apiKeys: [],
  maxConnections: 4096,
  latencyMs: undefined,
  tokensPerSecond: undefined
}

const MB = 1024 * 1024

describe("parseSettings", () => {
  it("reads how long receipts are kept", () => {
    const keepMs = (section: string) => settingsOf(withBasics(section)).receipts.keepMs
    const day = 24 * 3_600_000
    assert.deepStrictEqual(
      [
        "",
        "receipts: { keep: 12h }",
        "receipts: { keep: 90d }",
        "receipts: { keep: 0 }",
        "receipts: { keep: off }"
      ].map(keepMs),
      [30 * day, day / 2, 90 * day, 0, 0]
    )
  })

  it("reads quotas of kept responses, bytes in flight and the disk reserve", () => {
    const settings = settingsOf(
      withBasics(`
responses: { max_mb: 10, max_mb_per_key: 10 }
idempotency: { max_mb: 8, max_mb_per_key: 3 }
server: { max_bytes_in_flight_mb: 64 }
store: { disk_reserve_mb: 0 }
`)
    )
    assert.deepStrictEqual(settings.responses.quota, { all: 10 * MB, perKey: 10 * MB })
    assert.deepStrictEqual(settings.idempotency, { all: 8 * MB, perKey: 3 * MB })
    assert.strictEqual(settings.server.maxBytesInFlight, 64 * MB)
    assert.strictEqual(settings.store.diskReserve, 0)
    const cached = settingsOf(withBasics("cache: { mode: on, ttl: 2m, namespace: team, limits: { max_mb: 9 } }")).cache
    const quota = { all: 9 * MB, perKey: 9 * MB }
    assert.deepStrictEqual(cached, { ...defaultCache, mode: "on", ttlMs: 120_000, namespace: "team", quota })
    const told = (section: string) => problemsOf(withBasics(section), { file: "gateway.yaml" }).join()
    assert.include(told("cache: { mode: always }"), '"always" is not a mode of the cache')
    assert.include(told("cache: { ttl: 31d }"), "from 1s to 30d")
    assert.include(told("cache: { limits: { max_entry_kb: 512 } }"), "from 1 to 256")
    assert.include(told("cache: { operations: [speech] }"), "operation that can be cached")
    assert.include(
      told("idempotency: { max_mb: 8, max_mb_per_key: 9 }"),
      "max_mb_per_key must be at most max_mb (8), got 9"
    )
    assert.include(told("responses: { max_mb: 8, max_mb_per_key: 0 }"), "whole number from 1")
    assert.include(
      told('store: { postgres: { url: "postgres://a@b/c" }, disk_reserve_mb: 1 }'),
      "disk_reserve_mb is for a store in a file"
    )
  })

  it("reads models of the catalogue, with days in either language, and names what is wrong in them", () => {
    const models = (text: string) => settingsOf(withBasics(text)).catalogue?.models
    const from = { prices: [{ from: "2026-12-01", usd: { input: 1, output: 2 } }] }
    assert.deepStrictEqual(
      models(`catalogue: { models: { "a/b*": { prices: [{ from: 2026-12-01, usd: { input: 1, output: 2 } }] } } }`),
      { "a/b*": from }
    )
    for (const [text, said] of [
      ["{ b: {} }", /"b" is not a model: write vendor\/id/],
      ["{ a/b: { prices: [] } }", /a\/b → prices/],
      ["{ a/b: { limits: { context: -1 } } }", /a\/b → limits → context/],
      ["{ a/b: { rules: [{ when: [n] }] } }", /a\/b → rules → 0: a rule has exactly one of use, do and price/],
      ["[]", /this is not models by vendor\/id/]
    ] as const) {
      assert.match(problemsOf(withBasics(`catalogue: { models: ${text} }`))[0]!, said)
    }
  })

  it("reads quotas of kept responses, bytes in flight and the disk reserve", () => {
    const settings = settingsOf(
      withBasics(`
responses: { max_mb: 10, max_mb_per_key: 10 }
idempotency: { max_mb: 8, max_mb_per_key: 3 }
server: { max_bytes_in_flight_mb: 64 }
store: { disk_reserve_mb: 0 }
`)
    )
    assert.deepStrictEqual(settings.responses.quota, { all: 10 * MB, perKey: 10 * MB })
    assert.deepStrictEqual(settings.idempotency, { all: 8 * MB, perKey: 3 * MB })
    assert.strictEqual(settings.server.maxBytesInFlight, 64 * MB)
    assert.strictEqual(settings.store.diskReserve, 0)
    const told = (section: string) => problemsOf(withBasics(section), { file: "gateway.yaml" }).join()
    assert.include(
      told("idempotency: { max_mb: 8, max_mb_per_key: 9 }"),
      "max_mb_per_key must be at most max_mb (8), got 9"
    )
    assert.include(told("responses: { max_mb: 8, max_mb_per_key: 0 }"), "whole number from 1")
    assert.include(
      told('store: { postgres: { url: "postgres://a@b/c" }, disk_reserve_mb: 1 }'),
      "disk_reserve_mb is for a store in a file"
    )
  })

  it("reads what is stored of responses", () => {
    const responses = (section: string) => settingsOf(withBasics(section)).responses
    assert.deepStrictEqual(responses("responses: { lifetime: 12h, max_mb: 10 }"), {
      isStored: true,
      lifetimeMs: 12 * 3_600_000,
      quota: { all: 10 * MB, perKey: 5 * MB }
    })
    const stored = ["", "responses:", "responses: { store: on }", "responses: { store: true }"]
    assert.deepStrictEqual(
      stored.map((section) => responses(section).isStored),
      [true, true, true, true]
    )
    const none = ["responses: { store: off }", "responses: { store: false }", "responses: { lifetime: off }"]
    assert.deepStrictEqual(
      none.map((section) => responses(section).isStored),
      [false, false, false]
    )
  })

  it("reads every field of the documented example", () => {
    assert.deepStrictEqual(revealed(settingsOf(fixture("operating.yaml"), "/etc/gateway/gateway.yaml")), {
      server: {
        host: "127.0.0.1",
        port: 4100,
        adminPort: undefined,
        maxBodyBytes: 10_485_760,
        maxUploadBytes: 209_715_200,
        shutdownDelayMs: 0,
        shutdownGraceMs: 300_000,
        stalledClientMs: 60_000,
        earlyKeepaliveMs: undefined,
        headersTimeoutMs: 20_000,
        requestTimeoutMs: 120_000,
        trustedProxies: [],
        authFailuresPerMinute: 20,
        maxBodyValues: 1_000_000,
        maxBytesInFlight: undefined,
        answerSizes: {
          event: 2 ** 20,
          imageEvent: 32 * 2 ** 20,
          answer: 64 * 2 ** 20,
          embeddingsAnswer: 256 * 2 ** 20
        },
        corsOrigins: [],
        publicPath: "/",
        reusePort: false,
        ui: true,
        metrics: undefined
      },
      logs: { requests: "errors", format: "text" },
      masterKey,
      store: {
        sqlite: "/etc/gateway/gateway.db",
        synchronous: "full",
        reserve: "wait",
        abandoned: "estimate",
        diskReserve: 256 * MB
      },
      receipts: { keepMs: 30 * 24 * 3_600_000 },
      responses: { isStored: true, lifetimeMs: 30 * 24 * 3_600_000, quota: { all: 1024 * MB, perKey: 512 * MB } },
      idempotency: { all: 512 * MB, perKey: 256 * MB },
      cache: defaultCache,
      issuers: [],
      providers: [
        {
          ...provider,
          name: "openai",
          vendor: "openai",
          protocol: "openai-chat",
          apiKeys: [environment.OPENAI_API_KEY]
        },
        {
          ...provider,
          name: "anthropic",
          vendor: "anthropic",
          protocol: "anthropic-messages",
          baseUrl: "https://eu.example.com",
          apiKeys: [environment.ANTHROPIC_API_KEY]
        },
        {
          ...provider,
          name: "vllm",
          vendor: undefined,
          protocol: "openai-chat",
          baseUrl: "http://127.0.0.1:8000/v1"
        },
        { ...provider, name: "spare", vendor: "openai", protocol: "openai-chat", apiKeys: [environment.OPENAI_KEY_2] },
        { ...provider, name: "demo", vendor: "demo", protocol: "openai-chat" }
      ],
      deployments: [
        namedOnly("openai", "gpt-5-mini"),
        {
          ...namedOnly("vllm", "meta-llama/Llama-4-8B"),
          id: "vllm/llama",
          price: { input: 0.1, cachedInput: 0.02, cacheWrite: undefined, output: 0.4, reasoning: undefined },
          contextWindow: 131_072,
          weight: 2,
          maxInFlight: 64,
          timeouts: { ...defaultTimeouts, firstToken: 60_000 },
          supports: ["chat", "stream", "tools", "json_schema", "images"]
        },
        namedOnly("openai", "gpt-5")
      ],
      aliasRules: new Map(),
      models: new Map([
        ["fast", ["openai/gpt-5-mini", "vllm/llama"]],
        ["gpt-4o", ["openai/gpt-5-mini"]]
      ]),
      router: {
        buckets: [
          { name: "simple", deployments: ["vllm/llama"] },
          { name: "standard", deployments: ["openai/gpt-5-mini", "vllm/llama"] },
          { name: "complex", deployments: ["openai/gpt-5"] },
          { name: "reasoning", deployments: ["openai/gpt-5"] }
        ],
        cutPoints: [0.35, 0.65, 0.85],
        preferShift: 0.15,
        model: undefined,
        shadow: false
      },
      failover: { attempts: 3, baseDelayMs: 250, order: "listed", streamRecovery: "cut", ...failoverDefaults },
      catalogue: {
        file: "/etc/gateway/catalogue.json",
        isNamed: false,
        lastGood: "/etc/gateway/catalogue.good.json",
        learnt: {
          file: "/etc/gateway/catalogue.learnt.json",
          lastGood: "/etc/gateway/catalogue.learnt.good.json"
        },
        models: {}
      },
      alerts: []
    })
  })

  it("reads alerts, and says what is wrong with one without showing its address or secret", () => {
    const alerts = `alerts:
  - { on: budget, scope: "team:red", url: "https://hooks.example.com/a?token=b", secret: "sixteen-or-more-characters" }
  - { on: error_rate, at: 0.25, url: "http://10.0.0.7/a", secret: "sixteen-or-more-characters", allow_private: true }
  - { on: store, url: "https://hooks.example.com/a", secret: "sixteen-or-more-characters" }`
    assert.deepStrictEqual(
      settingsOf(withBasics(alerts)).alerts.map(({ allowPrivate, at, on, scope }) => [on, scope, at, allowPrivate]),
      [
        ["budget", "team:red", 0.8, false],
        ["error_rate", undefined, 0.25, true],
        ["store", undefined, undefined, false]
      ]
    )
    for (const [fields, expected] of [
      [
        'on: weather, url: "https://a.example/b", secret: "sixteen-or-more-characters"',
        /on: .*budget, circuit, error_rate/
      ],
      ['on: store, url: "ftp://a.example/b", secret: "sixteen-or-more-characters"', /url: .*neither http/],
      ['on: store, url: "https://u:hidden@a.example/b", secret: "sixteen-or-more-characters"', /url: .*user name/],
      ['on: store, url: "https://a.example/b", secret: "hidden"', /secret: .*shorter than 16/],
      ['on: store, url: "https://a.example/b"', /secret/],
      ['on: budget, at: 0, url: "https://a.example/b", secret: "sixteen-or-more-characters"', /at: .*above 0/]
    ] as const) {
      const problems = problemsOf(withBasics(`alerts: [{ ${fields} }]`))
      assert.lengthOf(problems, 1, fields)
      assert.match(problems[0]!, expected)
      assert.notInclude(problems[0]!, "hidden")
    }
  })

  it("reads the same from TOML and from JSON", () => {
    const yaml = revealed(settingsOf(fixture("operating.yaml")))
    assert.deepStrictEqual(revealed(settingsOf(fixture("operating.toml"), "gateway.toml")), yaml)
    assert.deepStrictEqual(revealed(settingsOf(fixture("operating.json"), "gateway.json")), yaml)
  })

  it("reads addresses and networks of trusted proxies, and refuses what is none", () => {
    const proxies = (text: string) => withBasics(`server: { trusted_proxies: [${text}] }`)
    const good = ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8", "0.0.0.0/0"]
    assert.deepStrictEqual(settingsOf(proxies(good.map((one) => `"${one}"`).join(", "))).server.trustedProxies, good)
    for (const wrong of [
      "10.0.0.0/33",
      "10.0.0/8",
      "proxy.local",
      "::1/129",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "1.2.3.4/x"
    ]) {
      assert.lengthOf(problemsOf(proxies(`"${wrong}"`)), 1, wrong)
    }
  })

  it("reads when streams get their headers early, or never", () => {
    const early = (value: string) =>
      settingsOf(withBasics(`server: { early_keepalive: ${value} }`)).server.earlyKeepaliveMs
    assert.deepStrictEqual(["15s", "100ms", "off"].map(early), [15_000, 100, undefined])
  })

  it("takes a public path with or without a slash at its end, and nothing that is no path", () => {
    const path = (written: string) =>
      settingsOf(withBasics(`models:\nserver: { public_path: ${written} }`)).server.publicPath
    assert.deepStrictEqual(["/", "/gw", "/gw/", "/a-b/c.d/"].map(path), ["/", "/gw", "/gw", "/a-b/c.d"])
    for (const wrong of ["gw", '"/gw?x"', '"//gw"', "/a/../b", '"/a;b"', '"/a b"', "https://a.example/gw"]) {
      assert.throws(() => path(wrong), /a path such as \/ or \/gateway/, wrong)
    }
  })

  it("fills in the documented defaults where sections are left out", () => {
    const settings = settingsOf(withBasics("models:\nserver: {}"))
    assert.deepStrictEqual(settings.server, {
      host: "127.0.0.1",
      port: 4100,
      adminPort: undefined,
      maxBodyBytes: 33_554_432,
      maxUploadBytes: 209_715_200,
      shutdownDelayMs: 0,
      shutdownGraceMs: 300_000,
      stalledClientMs: 60_000,
      earlyKeepaliveMs: undefined,
      headersTimeoutMs: 20_000,
      requestTimeoutMs: 120_000,
      trustedProxies: [],
      authFailuresPerMinute: 20,
      maxBodyValues: 1_000_000,
      maxBytesInFlight: undefined,
      answerSizes: { event: 2 ** 20, imageEvent: 32 * 2 ** 20, answer: 64 * 2 ** 20, embeddingsAnswer: 256 * 2 ** 20 },
      corsOrigins: [],
      publicPath: "/",
      reusePort: false,
      ui: true,
      metrics: undefined
    })
    assert.deepStrictEqual(settings.store, {
      sqlite: "gateway.db",
      synchronous: "full",
      reserve: "wait",
      diskReserve: 256 * MB,
      abandoned: "estimate"
    })
    assert.deepStrictEqual(settings.failover, {
      attempts: 3,
      baseDelayMs: 250,
      order: undefined,
      streamRecovery: "cut",
      ...failoverDefaults
    })
    assert.deepStrictEqual(settings.deployments[0], namedOnly("openai", "gpt-5"))
    assert.strictEqual(settings.models.size, 0)
    assert.deepStrictEqual(settings.router, {
      buckets: [{ name: "standard", deployments: ["openai/gpt-5", "demo/mini"] }],
      cutPoints: [],
      preferShift: 0.15,
      model: undefined,
      shadow: false
    })
  })

  it("reads what the example leaves out: cache and reasoning prices, output limits, pace, parts of the timeouts", () => {
    const settings = settingsOf(`
master_key: \${GATEWAY_MASTER_KEY}
providers:
  demo: { latency: 1.5s, tokens_per_second: 80 }
  pool: { vendor: openai, api_key: [sk-1, "\${OPENAI_KEY_2}"], base_url: "HTTPS://Example.com/v1//" }
deployments:
  - provider: pool
    model: o3
    price:
      { input: 2, cache_write: 2.5, output: 8, reasoning: 0.001, web_search: 10, tiers: [{ above: 9, input: 4 }], flex: { input: 1, output: 4 } }
    service_tier: flex
    max_output_tokens: 100000
    timeouts: { total: 1h, connect: 250ms }
    weight: 0.5
    priority: 7
store: { sqlite: ":memory:", synchronous: normal }
failover: { retry_budget: { percent: 50, window: 1m }, session_affinity: false }`)
    const [demo, pool] = revealed(settings).providers
    assert.strictEqual(demo?.latencyMs, 1_500)
    assert.strictEqual(demo?.tokensPerSecond, 80)
    assert.strictEqual(pool?.baseUrl, "https://example.com/v1")
    assert.deepStrictEqual(pool?.apiKeys, ["sk-1", environment.OPENAI_KEY_2])
    assert.deepStrictEqual(settings.deployments, [
      {
        ...namedOnly("pool", "o3"),
        price: {
          input: 2,
          cachedInput: undefined,
          cacheWrite: 2.5,
          output: 8,
          reasoning: 0.001,
          webSearches: 10,
          tiers: [{ above: 9, rates: { input: 4 } }],
          serviceTiers: {
            flex: { input: 1, cachedInput: undefined, cacheWrite: undefined, output: 4, reasoning: undefined }
          }
        },
        serviceTier: "flex",
        maxOutputTokens: 100_000,
        timeouts: { ...defaultTimeouts, total: 3_600_000, connect: 250 },
        weight: 0.5,
        priority: 7
      }
    ])
    assert.deepStrictEqual(settings.store, {
      sqlite: ":memory:",
      synchronous: "normal",
      reserve: "wait",
      diskReserve: 256 * MB,
      abandoned: "estimate"
    })
    assert.deepInclude(settings.failover, {
      retryBudget: { percent: 50, extra: 3, windowMs: 60_000 },
      sessionAffinity: false
    })
  })

  it("counts a relative database from the folder of the file, and leaves an absolute one alone", () => {
    const inFolder = (sqlite: string) =>
      settingsOf(withBasics(`store: { sqlite: ${sqlite} }`), "conf/gateway.yaml").store.sqlite
    assert.strictEqual(inFolder("../data/g.db"), "data/g.db")
    assert.strictEqual(inFolder("/var/lib/g.db"), "/var/lib/g.db")
  })

  it("says what is wrong with how hang-ups and abandoned reservations are to be booked", () => {
    assert.deepStrictEqual(
      settingsOf(withBasics("store: { abandoned: void }\nfailover: { finish_abandoned: 0s }")).store.abandoned,
      "void"
    )
    for (const [field, expected] of [
      ["failover: { finish_abandoned: 5 }", /finish_abandoned: 5 has no unit; write 5s or 5ms/],
      ["failover: { finish_abandoned: -1s }", /finish_abandoned: .*a duration/],
      ["store: { abandoned: never }", /abandoned: .*"never".*book, void/]
    ] as const) {
      const problems = problemsOf(withBasics(field))
      assert.lengthOf(problems, 1)
      assert.match(problems[0]!, expected)
    }
    const text = "{ openai: { api_key: none, bills_after_disconnect: yes } }"
    const problems = problemsOf(`master_key: ${"k".repeat(40)}\nproviders: ${text}\ndeployments: [openai/o3]`)
    assert.isTrue(problems.some((one) => /bills_after_disconnect: .*none, plain, all/.test(one)))
  })

  it("asks for what every file must have", () => {
    assert.deepStrictEqual(problemsOf("server: {}"), [
      'gateway.yaml:1:1 master_key: "master_key" is required: a key for the administrators; make one with `openssl rand -base64 33` or `model-gateway init`',
      'gateway.yaml:1:1 providers: "providers" is required: whom to call, e.g. openai: { api_key: ... }',
      'gateway.yaml:1:1 deployments: "deployments" is required: a list of models to call, as <provider>/<model>'
    ])
  })

  it("names the languages it knows when the file is in none of them", () => {
    assert.deepStrictEqual(problemsOf("a = 1", { file: "gateway.ini" }), [
      "gateway.ini: the name of the file must end in one of: yaml, yml, toml, json"
    ])
  })
})
