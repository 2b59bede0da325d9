/** Signatures against AWS's own SDK, a published vector and a server that checks them; where credentials come from and how long they stay. */
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { noOptions, type ProviderOptions } from "../../../src/core/domain/ProviderOptions.ts"
import type { ReadyAuth } from "../../../src/core/pool/Auth.ts"
import { noLoad, type UpstreamRequest } from "../../../src/core/pool/Transport.ts"
import { aws, type chain, type GivenCredentials, signature } from "../../../src/providers/auth/Aws.ts"
import { check } from "../../support/SigV4.ts"

const ID = "AKIDEXAMPLE"
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
const NOW = Date.parse("2015-08-30T12:36:00Z")

const timeouts = { connect: 1, firstToken: 1, idle: 1, total: 1 }

const request = (changes: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
  path: "/model/us.amazon.nova-micro-v1%3A0/converse",
  headers: { "content-type": "application/json", accept: "application/json" },
  body: '{"messages":[]}',
  timeouts,
  ...changes
})

const unreachable = { whole: () => Effect.never, open: () => Effect.never, load: () => noLoad }

const made = (options: Partial<ProviderOptions>, source?: typeof chain, hasKeys = false): ReadyAuth => {
  const auth = source === undefined ? aws("bedrock") : aws("bedrock", source)
  if (auth.kind !== "perProvider") throw new Error("it is made once for each provider")
  return auth.make({ options: { ...noOptions, ...options }, hasKeys, transport: unreachable })
}

const headersOf = (auth: ReadyAuth, asked: UpstreamRequest = request()) =>
  auth.kind === "static" ? Effect.succeed(auth.headers("k3y")) : auth.headers(asked, undefined)

const checked = (headers: { readonly [name: string]: string }, asked: UpstreamRequest = request()) => {
  const url = new URL(asked.baseUrl + asked.path)
  const all = { ...asked.headers, ...headers, host: url.host }
  return check({ method: "POST", path: url.pathname + url.search, headers: all, body: String(asked.body) }, SECRET)
}

const configured = { secret: { access_key_id: Redacted.make(ID), secret_access_key: Redacted.make(SECRET) } }

describe("the check of signatures", () => {
  it("agrees with the published vector post-vanilla", () => {
    const headers = {
      host: "example.amazonaws.com",
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    }
    assert.isTrue(check({ method: "POST", path: "/", headers, body: "" }, SECRET)?.isValid)
    assert.isFalse(check({ method: "POST", path: "/", headers, body: "x" }, SECRET)?.isValid)
  })
})

describe("a signed request", () => {
  it.effect("is accepted by a server that checks it, whatever is in the path", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const arn = encodeURIComponent("arn:aws:bedrock:us-east-1:012345678901:inference-profile/us.anthropic.claude-x:0")
      for (const path of [
        "/model/us.amazon.nova-micro-v1%3A0/converse",
        `/model/${arn}/converse-stream`,
        "/a/b?x=1&a=2"
      ]) {
        const asked = request({ path, body: '{"text":"漢字"}' })
        const headers = yield* headersOf(made({ ...configured, shown: { region: "us-east-1" } }), asked)
        const result = checked(headers, asked)
        assert.deepInclude(result, { accessKeyId: ID, region: "us-east-1", service: "bedrock", isValid: true }, path)
        assert.includeMembers([...result!.signedHeaders], ["host", "content-type", "x-amz-date"])
        assert.isFalse(checked(headers, { ...asked, body: "another" })?.isValid)
      }
    })
  )

  it.effect("has the signature that AWS's own SDK gives it", () =>
    Effect.gen(function* () {
      type Sent = { headers: Record<string, string>; path: string; hostname: string; body: string }
      let sent: Sent | undefined
      const client = new BedrockRuntimeClient({
        region: "eu-central-1",
        credentials: { accessKeyId: ID, secretAccessKey: SECRET, sessionToken: "t0ken" },
        requestHandler: {
          handle: (one: unknown) => {
            sent = one as Sent
            return Promise.reject(new Error("recorded"))
          }
        } as never,
        maxAttempts: 1
      })
      const command = new ConverseCommand({
        modelId: "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
        messages: [{ role: "user", content: [{ text: "Grüß Gott" }] }]
      })
      yield* Effect.promise(() => client.send(command).catch(() => undefined))
      assert.isDefined(sent)
      const { authorization: theirs, host: _, ...others } = sent!.headers
      const unsigned = Object.fromEntries(
        Object.entries(others).filter(
          ([name]) => !["x-amz-date", "x-amz-security-token", "x-amz-content-sha256"].includes(name)
        )
      )
      const date = others["x-amz-date"]!.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")
      const ours = yield* signature(
        { baseUrl: `https://${sent!.hostname}`, path: sent!.path, headers: unsigned, body: sent!.body },
        {
          service: "bedrock",
          region: "eu-central-1",
          credentials: Redacted.make({ accessKeyId: ID, secretAccessKey: SECRET, sessionToken: "t0ken" }),
          now: Date.parse(date)
        }
      )
      assert.strictEqual(sent!.path, "/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse")
      assert.strictEqual(ours["authorization"], theirs)
      assert.strictEqual(ours["x-amz-security-token"], "t0ken")
    })
  )

  it.effect("takes its region from the address where the configuration names none", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      for (const [host, region] of [
        ["bedrock-runtime.eu-west-3.amazonaws.com", "eu-west-3"],
        ["bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
        ["vpce-0a-1b.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com", "ap-southeast-2"]
      ] as const) {
        const asked = request({ baseUrl: `https://${host}` })
        assert.deepInclude(checked(yield* headersOf(made(configured), asked), asked), { region, isValid: true })
      }
      const failure = yield* Effect.flip(headersOf(made(configured), request({ baseUrl: "https://proxy.example/aws" })))
      assert.match(failure.message, /region/)
    })
  )

  it.effect("carries an API key as a bearer token, unsigned", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* headersOf(made(configured, undefined, true)), { authorization: "Bearer k3y" })
    })
  )
})

/** Gives out `credentials`, one each time; counts. */
const sourceOf = (...credentials: ReadonlyArray<GivenCredentials | Error>) => {
  const asked: Array<{ readonly profile: string | undefined; readonly region: string }> = []
  const source: typeof chain = (place) => () => {
    asked.push(place)
    const one = credentials[Math.min(asked.length, credentials.length) - 1]!
    return one instanceof Error ? Promise.reject(one) : Promise.resolve(one)
  }
  return { asked, source }
}

const until = (ms: number): GivenCredentials => ({
  accessKeyId: ID,
  secretAccessKey: SECRET,
  sessionToken: "t0ken",
  expiration: new Date(ms)
})

const HOUR = 3_600_000

describe("credentials of the machine", () => {
  it.effect("are fetched once for all who wait, and renewed before they run out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { asked, source } = sourceOf(until(NOW + HOUR), until(NOW + 2 * HOUR))
      const auth = made({ shown: { region: "us-east-1", profile: "prod" } }, source)
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => headersOf(auth)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(all.every((headers) => checked(headers)?.isValid === true))
      assert.deepStrictEqual(asked, [{ profile: "prod", region: "us-east-1" }])
      assert.strictEqual(all[0]?.["x-amz-security-token"], "t0ken")
      yield* TestClock.adjust(HOUR - 6 * 60_000)
      yield* headersOf(auth)
      assert.lengthOf(asked, 1)
      yield* TestClock.adjust(2 * 60_000)
      yield* Effect.all([headersOf(auth), headersOf(auth)], { concurrency: "unbounded" })
      yield* Effect.yieldNow
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("go on while they hold, when they can't be renewed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { asked, source } = sourceOf(until(NOW + HOUR), new Error("the metadata service is away"))
      const auth = made({ shown: { region: "us-east-1" } }, source)
      yield* headersOf(auth)
      yield* TestClock.adjust(HOUR - 4 * 60_000)
      assert.isTrue(checked(yield* headersOf(auth))?.isValid)
      yield* Effect.yieldNow
      assert.lengthOf(asked, 2)
      yield* TestClock.adjust(5 * 60_000)
      const failure = yield* Effect.flip(headersOf(auth))
      assert.match(failure.message, /could not be fetched \(Error\)/)
    })
  )

  it.effect("are looked up again after a while where they don't end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { asked, source } = sourceOf({ accessKeyId: ID, secretAccessKey: SECRET })
      const auth = made({ shown: { region: "us-east-1" } }, source)
      yield* headersOf(auth)
      yield* TestClock.adjust(16 * 60_000)
      yield* headersOf(auth)
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("don't depend on the request that asked first", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { promise, resolve } = Promise.withResolvers<GivenCredentials>()
      const auth = made({ shown: { region: "us-east-1" } }, () => () => promise)
      const first = yield* Effect.forkChild(headersOf(auth))
      const second = yield* Effect.forkChild(headersOf(auth))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      resolve(until(NOW + HOUR))
      assert.isTrue(checked(yield* Fiber.join(second))?.isValid)
    })
  )

  it.effect.each([
    ["CredentialsProviderError", "Could not load credentials from any providers", /no AWS credentials were found/],
    [
      "CredentialsProviderError",
      "The SSO session associated with this profile has expired. aws sso login",
      /aws sso login --profile prod/
    ],
    [
      "CredentialsProviderError",
      "Could not resolve credentials using profile: [prod] in configuration/credentials file(s).",
      /no profile "prod"/
    ],
    ["Error", "Command failed: get-keys --password hunter2", /could not be fetched \(Error\)/]
  ] as const)("that are missing are told without what the machine said: %s, %s", ([name, message, told]) =>
    Effect.gen(function* () {
      const error = Object.assign(new Error(message), { name })
      const profile = /any providers/.test(message) ? {} : { profile: "prod" }
      const auth = made({ shown: { region: "us-east-1", ...profile } }, sourceOf(error).source)
      const failure = yield* Effect.flip(headersOf(auth))
      assert.match(failure.message, told)
      assert.notInclude(failure.message, "hunter2")
    })
  )
})
