/**
 * Where the gateway is and the credential that opens it: a service token, the master key, or the sign-in of `model-gateway login`. It comes from the environment or a file: what stands in an argument
 * can be read by every other user of the machine.
 */
import * as path from "node:path"
import { Effect, FileSystem, Option, Redacted } from "effect"
import { CliError } from "effect/cli"
import { masterKey } from "@model-gateway/gateway/internal/config/MasterKeyRules"
import type { ConfigInvalid } from "@model-gateway/gateway/internal/config/Problem"
import { Server } from "@model-gateway/gateway/internal/config/sections/ServerSection"
import { Environment } from "../Environment.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { type ConfigSections, openConfig } from "./ConfigSections.ts"
import { signInAt } from "./SignInFile.ts"
import { optionalText } from "../Flags.ts"

export interface Access {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: Redacted.Redacted<string>
  /** In words: `the environment variable GATEWAY_MASTER_KEY`. */
  readonly keyFrom: string
}

const CONFIG = "gateway.yaml"
/** Where `demo` keeps its data, and its master key in a file of that name. */
const DATA = ".model-gateway"
const KEY_FILE = "master-key"

/** In this order. The second is what the clients read. */
const URL_VARIABLES = ["GATEWAY_URL", "GATEWAY_BASE_URL"] as const
const KEY_VARIABLE = "GATEWAY_MASTER_KEY"
/** A service token, which goes before the master key. */
const TOKEN_VARIABLE = "GATEWAY_ADMIN_TOKEN"

/** What every command that talks to a running gateway takes. */
export const accessFlags = {
  url: optionalText(
    "url",
    "URL",
    `the gateway's URL (default: ${URL_VARIABLES.join(", else ")}, else the configuration file, else http://127.0.0.1:4100)`
  ),
  config: optionalText(
    "config",
    "FILE",
    `take the master key from this file (default: ${KEY_VARIABLE}, else ${CONFIG})`
  ),
  tokenFile: optionalText(
    "token-file",
    "FILE",
    `take a service token from this file (default: ${TOKEN_VARIABLE}, else the master key, else your sign-in)`
  ),
  data: optionalText("data", "DIR", `the data folder of a running demo, for its master key (default: ${DATA})`)
}

export interface AccessFlags {
  readonly url: Option.Option<string>
  readonly config: Option.Option<string>
  readonly data: Option.Option<string>
  readonly tokenFile?: Option.Option<string>
}

export const findAccess = Effect.fnUntraced(function* (
  flags: AccessFlags
): Effect.fn.Return<Access, CommandFailed | ConfigInvalid | CliError.ValidationError, FileSystem.FileSystem> {
  const config = yield* findConfig(flags)
  const url = yield* findUrl(flags, config)
  const { from, key } = yield* findKey(flags, config, url)
  return { url, key, keyFrom: from }
})

/** Only where it is, for who needs no master key. */
export const findAddress = Effect.fnUntraced(function* (
  flags: AccessFlags
): Effect.fn.Return<string, CommandFailed | ConfigInvalid | CliError.ValidationError, FileSystem.FileSystem> {
  return yield* findUrl(flags, yield* findConfig(flags))
})

/** A file that lies around by chance is opened only when something is wanted of it. */
const findConfig = (flags: AccessFlags) =>
  Option.isSome(flags.config)
    ? Effect.map(named(flags.config.value), Effect.succeed)
    : Effect.cached(lyingAround(flags))

interface Config {
  readonly file: string
  readonly sections: ConfigSections
}

const named = Effect.fnUntraced(function* (file: string) {
  const sections = yield* openConfig(file)
  if (Option.isSome(sections)) return { file, sections: sections.value }
  return yield* new CommandFailed({ message: `${file}: no such file; \`model-gateway init\` writes one to start from` })
})

const lyingAround = Effect.fnUntraced(function* ({ data }: AccessFlags) {
  // Who names the demo's folder means the demo.
  if (Option.isSome(data)) return undefined
  const sections = yield* openConfig(CONFIG)
  return Option.isSome(sections) ? { file: CONFIG, sections: sections.value } : undefined
})

type FindConfig = Effect.Effect<Config | undefined, CommandFailed | ConfigInvalid, FileSystem.FileSystem>

const findUrl = Effect.fnUntraced(function* (flags: AccessFlags, findConfig: FindConfig) {
  if (Option.isSome(flags.url)) {
    const why = whyNoUrl(flags.url.value)
    return why === undefined ? tidy(flags.url.value) : yield* wrongUsage(`--url: ${why}`)
  }
  const environment = yield* Environment
  for (const name of URL_VARIABLES) {
    const variable = environment[name]
    if (variable === undefined || variable === "") continue
    const why = whyNoUrl(variable)
    return why === undefined ? tidy(variable) : yield* new CommandFailed({ message: `${name}: ${why}` })
  }
  const config = yield* findConfig
  const server = config === undefined ? undefined : yield* config.sections.read("server", Server)
  if (server === undefined) return "http://127.0.0.1:4100"
  const port = server.admin_port ?? server.port
  if (port !== 0) return `http://${reachable(server.host)}:${port}`
  return yield* new CommandFailed({
    message: `${config?.file} says port 0, any free one: say with --url where the gateway is (\`serve\` printed it)`
  })
})

/** What is wrong with it, without repeating it: that may be a password. */
const whyNoUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return "write an address such as http://127.0.0.1:4100"
  if (url.username !== "" || url.password !== "")
    return "leave out the user name and password; the master key is enough"
  return /[?#]/.test(text) ? "leave out the ? or # part" : undefined
}

/** Clients of models take the address with `/v1`. */
const tidy = (url: string): string => new URL(url).href.replace(/(\/+v1)?\/*$/, "")

/** The address for a server that listens on all interfaces. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

const findKey = Effect.fnUntraced(function* (flags: AccessFlags, findConfig: FindConfig, url: string) {
  const environment = yield* Environment
  if (flags.tokenFile !== undefined && Option.isSome(flags.tokenFile)) {
    const tokenFile = flags.tokenFile.value
    const token = yield* (yield* FileSystem.FileSystem)
      .readFileString(tokenFile)
      .pipe(
        Effect.mapError(
          () => new CommandFailed({ message: `${tokenFile} can't be read; name a file with --token-file` })
        )
      )
    return yield* keyFrom(tokenFile, token)
  }
  const token = environment[TOKEN_VARIABLE]
  if (token !== undefined && token !== "") return yield* keyFrom(`the environment variable ${TOKEN_VARIABLE}`, token)
  const variable = environment[KEY_VARIABLE]
  if (variable !== undefined && variable !== "")
    return yield* keyFrom(`the environment variable ${KEY_VARIABLE}`, variable)

  // Who names a file with a master key means that.
  const signedIn = Option.isSome(flags.config) || Option.isSome(flags.data) ? Option.none() : yield* signInAt(url)
  if (Option.isSome(signedIn)) return { from: "the sign-in of `model-gateway login`", key: signedIn.value }

  const config = yield* findConfig
  const configured = config === undefined ? undefined : yield* config.sections.read("master_key", masterKey)
  if (configured !== undefined) return { from: `master_key in ${config?.file}`, key: configured }

  const fileSystem = yield* FileSystem.FileSystem
  const file = path.join(
    Option.getOrElse(flags.data, () => DATA),
    KEY_FILE
  )
  const text = yield* fileSystem.readFileString(file).pipe(
    Effect.asSome,
    Effect.catch((error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeedNone
        : Effect.fail(new CommandFailed({ message: `${file} can't be read; may you read it, and is it a file?` }))
    )
  )
  if (Option.isSome(text)) return yield* keyFrom(file, text.value)
  const places = [KEY_VARIABLE, ...(config === undefined ? [] : [`master_key in ${config.file}`]), file].join(", ")
  return yield* new CommandFailed({
    message: `no master key (looked in ${places}): set ${KEY_VARIABLE}, or name the configuration file with --config, or the folder of a demo with --data. Or sign in with \`model-gateway login\``
  })
})

const keyFrom = Effect.fnUntraced(function* (from: string, text: string) {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return { from, key: Redacted.make(key) }
  return yield* new CommandFailed({
    message: `${from} holds no master key: a key is visible ASCII characters without a space between them`
  })
})
