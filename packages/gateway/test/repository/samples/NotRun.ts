/** What the samples say and no test does, each with the reason. An entry that excuses nothing fails. */

interface Excuse {
  readonly what: RegExp
  readonly why: string
}

/** Documents whose samples for a shell need a machine of their own. Those that there are not yet are no needless excuse. */
export const documentsNotTyped: ReadonlyArray<Excuse> = [
  { what: /^docs\/deploy\.md$/, why: "containers, clusters, services: `npm run acceptance:deploy` tries them" },
  { what: /^docs\/otlp\.md$/, why: "accounts at Grafana Cloud and Langfuse: test/telemetry has a collector" },
  { what: /^docs\/postgres\.md$/, why: "a server of Postgres: test/storage/postgres has one where there is one" }
]

/** Commands of a shell, as they are called. */
export const commandsNotRun: ReadonlyArray<Excuse> = [
  { what: /^npm (start|test)$/, why: "sets the clone up and is what runs these tests" },
  { what: /^npm run gateway -- demo$/, why: "runs until it is stopped; these samples talk to one" },
  {
    what: /^(npm run gateway --|model-gateway) serve$/,
    why: "runs until it is stopped: test/acceptance starts it"
  },
  { what: /^npm run bench/, why: "minutes of load" },
  {
    what: /^model-gateway keys create --personal /,
    why: "needs a person who signed in: packages/gateway/test/http/admin/PersonalKeys"
  },
  {
    what: /^model-gateway (login|logout)\b/,
    why: "needs an identity provider and a person: packages/model-gateway/test/admin/LoginCommand"
  },
  {
    what: /^(npm run gateway --|model-gateway) catalogue (diff|update) /,
    why: "needs a newer catalogue: packages/model-gateway/test/catalogue"
  },
  {
    what: /^npm run gateway -- check --live --calls$/,
    why: "calls vendors: packages/model-gateway/test/setup/CheckCalls"
  },
  {
    what: /^model-gateway router train /,
    why: "learns from rows of one's own: packages/model-gateway/test/RouterTrain"
  }
]

/** Samples in TypeScript, by the place where they begin. */
export const typescriptNotRun: ReadonlyArray<Excuse> = [
  { what: /^docs\/clients\/openai-agents\.md/, why: "a client that only `npm run acceptance` installs, and tries" },
  { what: /^CONTRIBUTING\.md/, why: "read by test/acceptance/vendors/Sample and test/http/proxy/Endpoints" }
]

/** Those that are compiled alone. */
export const typescriptOnlyCompiled: ReadonlyArray<Excuse> = [
  { what: /NodeRuntime\.runMain/, why: "runs until it is stopped" }
]

/** Samples in Python, by what they import; their syntax is checked. */
export const pythonNotRun: ReadonlyArray<Excuse> = [
  { what: /from (openai|anthropic) import/, why: "clients that only `npm run acceptance` installs, and tries" }
]
