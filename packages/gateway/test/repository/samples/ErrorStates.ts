/** The gateways that the samples of errors talk to: with the configuration of the page, and in the state that the page tells of. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { masterKey, type RunningGateway, startGateway } from "../../support/RunningGateway.ts"
import { completion, type Reply, upstream } from "../../support/Upstream.ts"
import { troubles } from "../../acceptance/TroubledStore.ts"

export type Shown = Pick<RunningGateway, "url" | "createKey">

const SIGNED = "a token that an issuer signed: test/http/proxy/Jwts has one"

const PERSON = "a person who signed in: test/http/admin/PersonalKeys has one"

/** Codes that no sample can get, each with the reason. */
export const notShown: Readonly<Record<string, string>> = {
  expired_token: SIGNED,
  internal_error: "a fault of the gateway: whoever knows how to get one mends it",
  no_matching_rule: SIGNED,
  older_gateways: "a gateway of an older version on the same Postgres: test/storage/postgres has one",
  outside_team_policy: PERSON,
  response_already_in_flight: "two frames of a WebSocket, which no shell sends",
  suspended_api_key: PERSON,
  too_many_jwt_subjects: SIGNED,
  too_many_scopes: "rules that only another program can write to the store",
  websocket_connection_limit_reached: "a WebSocket that has been open for an hour"
}

/** Where the pages have a server of one's own. */
const OWN_SERVER = "http://127.0.0.1:8000/v1"

/** What that server does is the name of its model. */
const answers: Readonly<Record<string, Reply>> = {
  slow: { delay: 1_000, body: completion("At last.") },
  talkative: { body: completion("word ".repeat(1024 * 1024)) },
  strict: { status: 400, body: { error: { message: "That is not to be asked.", code: "content_filter" } } }
}

const withOwnServer = Effect.fnUntraced(function* (yaml: string) {
  if (!yaml.includes(OWN_SERVER)) return yaml
  const { baseUrl } = yield* upstream(({ body }) => answers[body.model] ?? { body: completion("Hello.") })
  return yaml.replace(OWN_SERVER, baseUrl)
})

/** The only gateway that has a file: the one in the reader's folder. */
const onFile = Effect.fnUntraced(function* (folder: string) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "gateway.yaml")
  writeFileSync(
    file,
    `master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${join(folder, "served.db")}" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
  )
  const { ready } = yield* gatewayProcess(["serve", "--config", file], listening)
  return { url: ready, createKey: () => Effect.succeed({ id: "key_none", secret: "mgw_none" }) }
})

const draining = Effect.tap(startGateway(), ({ readiness }) => Effect.sync(readiness.drain))

const lockedStore = Effect.gen(function* () {
  const trouble = yield* troubles["a foreign lock"]
  if (trouble === undefined) return yield* Effect.die("a store can always be locked")
  const gateway = yield* startGateway({ store: trouble.store })
  yield* Effect.addFinalizer(() => Effect.sync(trouble.mend))
  return {
    url: gateway.url,
    createKey: () => Effect.tap(gateway.createKey(), () => Effect.sync(trouble.spoil))
  }
})

const states: Readonly<Record<string, (folder: string) => Effect.Effect<Shown, unknown, Scope.Scope>>> = {
  draining: () => draining,
  store_unavailable: () => lockedStore,
  invalid_configuration: onFile
}

/** Undefined: any gateway does. `folder`: the reader's. */
export const gatewayOf = (
  code: string,
  yaml: string | undefined,
  folder: string
): Effect.Effect<Shown, unknown, Scope.Scope> | undefined =>
  yaml === undefined
    ? states[code]?.(folder)
    : Effect.flatMap(withOwnServer(yaml), (text) => startGateway({ yaml: text }))
