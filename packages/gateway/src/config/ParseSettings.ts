/**
 * A configuration text → `Settings`, or everything that is wrong with it. Pure: what comes from outside is handed in.
 */
import { Redacted, Result } from "effect"
import type { KnownVendor, Settings } from "../core/domain/Settings.ts"
import { decoded } from "./Decode.ts"
import { interpolate, type Sources } from "./Interpolation.ts"
import { howToMakeOne, masterKey } from "./MasterKey.ts"
import { Names } from "./Names.ts"
import { Report, wholeFile, type ConfigInvalid } from "./Problem.ts"
import { Fields, Here } from "./Reader.ts"
import { readDeployments } from "./sections/Deployments.ts"
import { readAliases } from "./sections/Models.ts"
import { readProviders } from "./sections/Providers.ts"
import { Responses, responseSettings } from "./sections/Responses.ts"
import { readRouter } from "./sections/Router.ts"
import {
  Failover,
  failoverSettings,
  Logs,
  Receipts,
  Server,
  serverSettings,
  Store,
  storeSettings
} from "./sections/Server.ts"
import { parseToml } from "./tree/TomlTree.ts"
import type { Node } from "./tree/Tree.ts"
import { parseJson, parseYaml } from "./tree/YamlTree.ts"

interface ParseOptions extends Sources {
  /** Its extension tells the language: yaml, yml, toml or json. Its folder is where relative paths begin. */
  readonly file: string
  readonly vendors: ReadonlyArray<KnownVendor>
}

const LONGEST_TEXT = 1_048_576

const parsers = { yaml: parseYaml, yml: parseYaml, toml: parseToml, json: parseJson }

/** The text as a tree, before anything is filled in; undefined when it is no text of its language. */
export const parseTree = (text: string, report: Report): Node | undefined => {
  const refuse = (found: string, allowed: string, message: string) =>
    report.add(wholeFile, "", { found, allowed, message })
  if (text.length > LONGEST_TEXT) {
    refuse("a larger file", "1 MiB", "the file is larger than 1 MiB")
    return undefined
  }
  const extension = /\.(\w+)$/.exec(report.file)?.[1]?.toLowerCase() ?? ""
  if (!Object.hasOwn(parsers, extension)) {
    const allowed = Object.keys(parsers).join(", ")
    refuse(extension, allowed, `the name of the file must end in one of: ${allowed}`)
    return undefined
  }
  const tree = parsers[extension as keyof typeof parsers](text, report)
  if (tree?.kind === "scalar" && tree.value === null) {
    refuse("nothing", "fields", "the file is empty; `model-gateway init` writes one to start from")
    return undefined
  }
  return tree
}

export const parseSettings = (text: string, options: ParseOptions): Result.Result<Settings, ConfigInvalid> => {
  const report = new Report(options.file)
  const tree = parseTree(text, report)
  if (tree === undefined) return Result.fail(report.invalid())
  const settings = readSettings(new Here(interpolate(tree, "", options, report), "", report), options)
  return report.isEmpty && settings !== undefined ? Result.succeed(settings) : Result.fail(report.invalid())
}

/** Undefined where something is wrong, which is reported. */
const readSettings = (root: Here, { file, vendors }: ParseOptions): Settings | undefined => {
  const fields = new Fields(root, [
    "server",
    "master_key",
    "store",
    "receipts",
    "responses",
    "providers",
    "deployments",
    "models",
    "router",
    "failover",
    "logs"
  ])
  /** A section that is left out reads like an empty one. */
  const section = <A>(name: Parameters<typeof fields.get>[0], read: (here: Here) => A): A =>
    fields.get(name, read) ?? read(new Here({ kind: "table", at: root.at, entries: [] }, name, root.report))

  const needs = `a key for the administrators; ${howToMakeOne}`
  const key = fields.require("master_key", needs, decoded(masterKey)) ?? Redacted.make("")
  const providers = fields.require("providers", "whom to call, e.g. openai: { api_key: ... }", (here) =>
    readProviders(here, vendors)
  ) ?? { names: [], settings: [] }
  const deployments = fields.get("deployments", (here) => readDeployments(here, providers.names)) ?? []
  const aliases = section("models", (here) => readAliases(here, deployments))
  const names = new Names(providers.names, deployments, aliases)
  const models = new Map(aliases.map((alias) => [alias.name, names.resolveAlias(alias)]))
  const router = section("router", (here) => readRouter(here, names, file))
  if (names.deployments.length === 0 && !fields.has("deployments")) {
    fields.missing("deployments", "is required: a list of models to call, as <provider>/<model>", "a list")
  }
  const server = section("server", decoded(Server))
  const logs = section("logs", decoded(Logs))
  const store = section("store", decoded(Store))
  const receipts = section("receipts", decoded(Receipts))
  const responses = section("responses", decoded(Responses))
  const failover = section("failover", decoded(Failover))
  if (!server || !logs || !store || !receipts || !responses || !failover) return undefined
  return {
    server: serverSettings(server),
    logs,
    masterKey: key,
    store: storeSettings(store, file),
    receipts: { keepMs: receipts.keep },
    responses: responseSettings(responses),
    providers: providers.settings,
    deployments: names.deployments,
    models,
    router,
    failover: failoverSettings(failover)
  }
}
