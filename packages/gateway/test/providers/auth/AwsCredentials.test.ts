/** Credentials as the machine has them: in the environment, in files, from a command, from a container's and an instance's address. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chain } from "../../../src/providers/auth/Aws.ts"

type Variables = { readonly [name: string]: string }

/** Nothing of the machine that runs the test. */
const NOTHING: Variables = {
  AWS_CONFIG_FILE: "/nowhere/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
  AWS_EC2_METADATA_DISABLED: "true"
}

const OWN = /^AWS_/

/** The environment is these variables and no others of AWS's. */
const withEnvironment = (variables: Variables) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.fromEntries(Object.entries(process.env).filter(([name]) => OWN.test(name)))
      for (const name of Object.keys(before)) delete process.env[name]
      Object.assign(process.env, NOTHING, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const name of Object.keys(process.env)) if (OWN.test(name)) delete process.env[name]
        Object.assign(process.env, before)
      })
  )

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "aws-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** A server on this machine, and its address. */
const server = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
          const made = createServer(answer)
          made.listen(0, "127.0.0.1", () => {
            const address = made.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({ url: `http://127.0.0.1:${port}`, close: () => made.closeAllConnections() })
            made.unref()
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

const given = (profile?: string) => Effect.promise(() => chain({ profile, region: "us-east-1" })())

const EXPIRATION = "2099-01-01T00:00:00Z"
const told = JSON.stringify({
  AccessKeyId: "ASIATOLD",
  SecretAccessKey: "s3cret",
  Token: "t0ken",
  SessionToken: "t0ken",
  Expiration: EXPIRATION,
  Version: 1,
  Code: "Success"
})
const expected = { accessKeyId: "ASIATOLD", secretAccessKey: "s3cret", sessionToken: "t0ken" }

describe("the chain of a machine's credentials", () => {
  it.live("finds those in the environment", () =>
    Effect.gen(function* () {
      yield* withEnvironment({
        AWS_ACCESS_KEY_ID: "AKIAENV",
        AWS_SECRET_ACCESS_KEY: "s3cret",
        AWS_SESSION_TOKEN: "t0ken"
      })
      assert.deepInclude(yield* given(), { ...expected, accessKeyId: "AKIAENV" })
    }).pipe(Effect.scoped)
  )

  it.live("finds those of a profile, also where others are in the environment, and reads the file anew", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "credentials")
      const write = (id: string) =>
        Effect.promise(() =>
          writeFile(
            path,
            `[default]\naws_access_key_id = OTHER\naws_secret_access_key = x\n[prod]\naws_access_key_id = ${id}\naws_secret_access_key = s3cret\n`
          )
        )
      yield* withEnvironment({
        AWS_SHARED_CREDENTIALS_FILE: path,
        AWS_ACCESS_KEY_ID: "AKIAENV",
        AWS_SECRET_ACCESS_KEY: "s3cret"
      })
      yield* write("AKIAFIRST")
      assert.deepInclude(yield* given("prod"), { accessKeyId: "AKIAFIRST", secretAccessKey: "s3cret" })
      yield* write("AKIASECOND")
      assert.deepInclude(yield* given("prod"), { accessKeyId: "AKIASECOND", secretAccessKey: "s3cret" })
    }).pipe(Effect.scoped)
  )

  it.live("runs the command of a profile", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const script = join(path, "keys.mjs")
      yield* Effect.promise(() => writeFile(script, `console.log(${JSON.stringify(told)})\n`))
      const config = join(path, "config")
      yield* Effect.promise(() =>
        writeFile(config, `[profile made]\ncredential_process = "${process.execPath}" "${script}"\n`)
      )
      yield* withEnvironment({ AWS_CONFIG_FILE: config })
      const found = yield* given("made")
      assert.deepInclude(found, expected)
      assert.strictEqual(found.expiration?.getTime(), Date.parse(EXPIRATION))
    }).pipe(Effect.scoped)
  )

  it.live("asks the container's address", () =>
    Effect.gen(function* () {
      const { url } = yield* server((request, response) => {
        const isAllowed = request.url === "/role" && request.headers.authorization === "pod"
        response.writeHead(isAllowed ? 200 : 403, { "content-type": "application/json" }).end(isAllowed ? told : "{}")
      })
      yield* withEnvironment({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: "pod"
      })
      const found = yield* given()
      assert.deepInclude(found, expected)
      assert.strictEqual(found.expiration?.getTime(), Date.parse(EXPIRATION))
    }).pipe(Effect.scoped)
  )

  it.live("asks the instance's metadata", () =>
    Effect.gen(function* () {
      const { url } = yield* server((request, response) => {
        const answers: { readonly [path: string]: string } = {
          "/latest/api/token": "imds",
          "/latest/meta-data/iam/security-credentials/": "role",
          "/latest/meta-data/iam/security-credentials/role": told
        }
        const text = answers[request.url ?? ""]
        response.writeHead(text === undefined ? 404 : 200).end(text ?? "")
      })
      yield* withEnvironment({ AWS_EC2_METADATA_DISABLED: "false", AWS_EC2_METADATA_SERVICE_ENDPOINT: url })
      assert.deepInclude(yield* given(), expected)
    }).pipe(Effect.scoped)
  )

  it.live("fails where there are none", () =>
    Effect.gen(function* () {
      yield* withEnvironment({})
      const failure = yield* Effect.flip(
        Effect.tryPromise({
          try: () => chain({ profile: undefined, region: "us-east-1" })(),
          catch: (error) => (error instanceof Error ? error.message : "")
        })
      )
      assert.match(failure, /Could not load credentials from any providers/)
    }).pipe(Effect.scoped)
  )
})
