/** The sign-ins of `model-gateway login`, one for each gateway, in a file that only its user can read. */
import * as path from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { OAuthTokens } from "@model-gateway/protocol"
import { Clock, Effect, FileSystem, Option, Redacted, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

const StoredSignIn = Schema.Struct({
  access_token: Schema.String,
  refresh_token: Schema.String,
  /** Epoch ms. */
  expires_at: Schema.Finite,
  email: Schema.NullOr(Schema.String)
})
export type StoredSignIn = typeof StoredSignIn.Type

const StoredSignIns = Schema.fromJsonString(Schema.Record(Schema.String, StoredSignIn))

/** A token is refreshed this long before it expires. */
const EARLY_MS = 60_000

const PATIENCE = "30 seconds"

/** Undefined: there is no home. */
const place = Effect.map(Environment, ({ HOME: home, XDG_CONFIG_HOME: config }) => {
  const folder = config !== undefined && config !== "" ? config : home && path.join(home, ".config")
  return folder === undefined || folder === "" ? undefined : path.join(folder, "model-gateway", "sign-ins.json")
})

const failed = (message: string) => new CommandFailed({ message })

const read = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const stat = yield* Effect.option(fs.stat(file))
  if (Option.isNone(stat)) return {}
  if ((stat.value.mode & 0o077) !== 0) {
    return yield* failed(`${file} can be read by other users, and it holds your sign-ins: run chmod 600 ${file}`)
  }
  return yield* fs.readFileString(file).pipe(
    Effect.flatMap(Schema.decodeEffect(StoredSignIns)),
    Effect.mapError(() => failed(`${file} can't be read: delete it, and run \`model-gateway login\` again`))
  )
})

/** `undefined` removes it. Of two that were refreshed at a time, the later stays. */
export const keepSignIn = Effect.fnUntraced(function* (url: string, signIn: StoredSignIn | undefined) {
  const file = yield* place
  if (file === undefined) return yield* failed("there is no home folder to keep the sign-in in: set HOME")
  const fs = yield* FileSystem.FileSystem
  const { [url]: before, ...others } = yield* read(file)
  const isOlder = signIn !== undefined && before !== undefined && before.expires_at > signIn.expires_at
  const all = signIn === undefined ? others : { ...others, [url]: isOlder ? before : signIn }
  const draft = `${file}.${process.pid}`
  yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(fs.writeFileString(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })),
    Effect.andThen(fs.rename(draft, file)),
    Effect.mapError(() => failed(`${file} can't be written: it keeps your sign-in`))
  )
  return file
})

export const storedSignIn = Effect.fnUntraced(function* (url: string) {
  const file = yield* place
  return file === undefined ? Option.none() : Option.fromUndefinedOr((yield* read(file))[url])
})

/** The access token for a gateway; a new one where it expires. */
export const signInAt = Effect.fnUntraced(function* (url: string) {
  const stored = yield* storedSignIn(url)
  if (Option.isNone(stored)) return Option.none()
  const now = yield* Clock.currentTimeMillis
  const isFresh = stored.value.expires_at - now > EARLY_MS
  return isFresh ? Option.some(Redacted.make(stored.value.access_token)) : yield* alone(refreshed(url))
})

/** One command at a time refreshes: a second refresh with the same token ends what the first one got. */
const alone = Effect.fnUntraced(function* <A, E, R>(refresh: Effect.Effect<A, E, R>) {
  const fs = yield* FileSystem.FileSystem
  const lock = `${yield* place}.lock`
  const take = fs.writeFileString(lock, "", { flag: "wx", mode: 0o600 })
  return yield* Effect.acquireUseRelease(
    // A lock that stays is of a command that was killed.
    Effect.ignore(Effect.retry(take, { schedule: Schedule.spaced("100 millis"), times: 300 })),
    () => refresh,
    () => Effect.ignore(fs.remove(lock))
  )
})

const refreshed = Effect.fnUntraced(function* (url: string) {
  const stored = yield* storedSignIn(url)
  if (Option.isNone(stored)) return Option.none()
  const now = yield* Clock.currentTimeMillis
  if (stored.value.expires_at - now > EARLY_MS) return Option.some(Redacted.make(stored.value.access_token))
  const form = { grant_type: "refresh_token", refresh_token: stored.value.refresh_token }
  const answered = yield* postForm(`${url}/oauth/token`, form)
  const tokens = yield* tokensIn(answered.body)
  if (answered.status === 200 && Option.isSome(tokens)) {
    yield* keepSignIn(url, toStored(tokens.value, now))
    return Option.some(Redacted.make(tokens.value.access_token))
  }
  if (answered.status !== 401)
    return yield* failed(`${url} does not refresh the sign-in (HTTP ${answered.status}): try again`)
  yield* keepSignIn(url, undefined)
  return yield* failed(`the sign-in at ${url} is over: run \`model-gateway login\``)
})

export const toStored = (
  { access_token, email, expires_in, refresh_token }: OAuthTokens,
  now: number
): StoredSignIn => ({
  access_token,
  refresh_token,
  expires_at: now + expires_in * 1000,
  email
})

/** None: the body is no tokens. */
export const tokensIn = (body: unknown) => Effect.option(Schema.decodeUnknownEffect(OAuthTokens)(body))

/** Any response, with its JSON body. */
export const postForm = (address: string, form: Readonly<Record<string, string>>, agent = "model-gateway") =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(address).pipe(
      HttpClientRequest.bodyUrlParams(form),
      HttpClientRequest.setHeader("user-agent", agent)
    )
    const response = yield* client.execute(request)
    const body = yield* response.json
    return { status: response.status, body }
  }).pipe(
    Effect.timeout(PATIENCE),
    Effect.mapError(() => failed(`nothing that signs people in responds at ${address}: check --url`)),
    Effect.provide(NodeHttpClient.layerUndici)
  )
