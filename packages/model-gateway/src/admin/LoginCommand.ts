/** `model-gateway login` and `logout`: administer the gateway as oneself, approved in a browser on any machine. */
import { hostname } from "node:os"
import { DeviceAuthorization } from "@model-gateway/protocol"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { say } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { printable } from "../output/TextOutput.ts"
import { accessFlags, findAddress } from "./AccessCommand.ts"
import { keepSignIn, postForm, storedSignIn, tokensIn, toStored } from "./SignInFile.ts"

const { config, url } = accessFlags

const failed = (message: string) => new CommandFailed({ message })

/** OAuth's errors, and the gateway's own. */
const OAuthError = Schema.Struct({
  error: Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })]),
  error_description: Schema.optionalKey(Schema.String)
})

const reasonIn = (body: unknown) =>
  Effect.map(Effect.option(Schema.decodeUnknownEffect(OAuthError)(body)), (found) => {
    if (Option.isNone(found)) return { code: "", words: "an unknown response" }
    const { error, error_description: words = "" } = found.value
    return typeof error === "string" ? { code: error, words: words || error } : { code: "", words: error.message }
  })

export const login = Command.make(
  "login",
  { url, config },
  Effect.fn("login")(function* (flags) {
    const address = yield* findAddress({ ...flags, data: Option.none() })
    const agent = `model-gateway on ${hostname()}`
    const begun = yield* postForm(`${address}/oauth/device_authorization`, { client_id: "model-gateway-cli" }, agent)
    const codes = yield* Effect.option(Schema.decodeUnknownEffect(DeviceAuthorization)(begun.body))
    if (begun.status !== 200 || Option.isNone(codes)) {
      return yield* failed(`${address}: ${printable((yield* reasonIn(begun.body)).words)}`)
    }
    const { device_code, user_code, verification_uri } = codes.value
    yield* Console.log(
      `Open ${printable(verification_uri)} in a browser, sign in, and type the code ${printable(user_code)}.`
    )
    yield* Console.error("Waiting for your approval; the code works for 10 minutes.")
    let { interval } = codes.value
    for (;;) {
      yield* Effect.sleep(interval * 1000)
      const answered = yield* postForm(
        `${address}/oauth/token`,
        { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code },
        agent
      )
      const tokens = yield* tokensIn(answered.body)
      if (answered.status === 200 && Option.isSome(tokens)) {
        // The earlier one is nobody's any more.
        yield* end(address)
        const file = yield* keepSignIn(address, toStored(tokens.value, yield* Clock.currentTimeMillis))
        const who = printable(tokens.value.email ?? "a person without e-mail")
        yield* Console.log(`You are signed in at ${address} as ${who}. If that is not you: model-gateway logout`)
        return yield* Console.error(`The sign-in is in ${file}.`)
      }
      const { code, words } = yield* reasonIn(answered.body)
      if (code === "slow_down") interval += 5
      else if (code !== "authorization_pending") return yield* failed(`not signed in: ${printable(words)}`)
    }
  })
).pipe(
  Command.withDescription(
    "Sign in as a person, with the gateway's identity provider. Prints an address and a code; approve it in a browser on any machine. The commands that administer the gateway then use your roles, if neither GATEWAY_ADMIN_TOKEN nor GATEWAY_MASTER_KEY is set."
  ),
  Command.withShortDescription("Sign in with your identity provider"),
  Command.withExamples([{ command: "model-gateway login --url https://gateway.example.com" }])
)

/** False: there was no sign-in. A gateway that is away keeps it until it expires. */
const end = Effect.fnUntraced(function* (address: string) {
  const stored = yield* storedSignIn(address)
  if (Option.isNone(stored)) return false
  yield* postForm(`${address}/oauth/revoke`, { token: stored.value.refresh_token }).pipe(
    Effect.catch(({ message }) => Console.error(`The sign-in could not be ended at the gateway: ${message}`))
  )
  yield* keepSignIn(address, undefined)
  return true
})

export const logout = Command.make(
  "logout",
  { url, config },
  Effect.fn("logout")(function* (flags) {
    const address = yield* findAddress({ ...flags, data: Option.none() })
    yield* (yield* end(address))
      ? Console.log(`You are signed out at ${address}.`)
      : say(`You were not signed in at ${address}; \`model-gateway login\` signs you in.`)
  })
).pipe(
  Command.withDescription("End the sign-in of this machine, here and at the gateway."),
  Command.withShortDescription("End your sign-in on this machine")
)
