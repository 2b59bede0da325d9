/** A configuration text → `Settings`, or everything that is wrong with it. Pure: what comes from outside is handed in. */
import { Result } from "effect"
import type { KnownVendor, Settings } from "../core/domain/Settings.ts"
import { configFile, namesOfFile } from "./ConfigFile.ts"
import { decode } from "./Decode.ts"
import { Here } from "./Here.ts"
import { interpolate, type Sources } from "./Interpolation.ts"
import { otherProgramsFile } from "./KeyMistakes.ts"
import { SettingNames } from "./SettingNames.ts"
import { placeInWords, Report, wholeFile, type ConfigInvalid } from "./Problem.ts"
import { alertSettings, checkAlerts } from "./sections/AlertsSection.ts"
import { catalogueSettings } from "./sections/CatalogueSection.ts"
import { checkTimeouts, deploymentsIn } from "./sections/Declared.ts"
import { checkProxyVariables } from "./sections/ConnectionSection.ts"
import { deploymentSettings, withDefaults } from "./sections/DeploymentsSection.ts"
import { checkIdentity, identitySettings } from "./sections/IdentitySection.ts"
import { issuerSettings } from "./sections/IssuersSection.ts"
import { aliasesIn, aliasRules, resolveAliases } from "./sections/ModelsSection.ts"
import { checkProviders, providerSettings } from "./sections/ProvidersSection.ts"
import { cacheSettings, idempotencySettings, responseSettings } from "./sections/ResponsesSection.ts"
import { resolveBuckets, routerSettings } from "./sections/RouterSection.ts"
import { failoverSettings } from "./sections/FailoverSection.ts"
import { checkContent, contentSettings } from "./sections/ContentSection.ts"
import { checkGuardrails, guardrailSettings } from "./sections/GuardrailsSection.ts"
import { checkAdminPort, checkReusePort, serverSettings, storeSettings, warnOfOld } from "./sections/ServerSection.ts"
import { parseToml } from "./tree/TomlTree.ts"
import type { TreeNode } from "./tree/Tree.ts"
import { parseJson, parseYaml } from "./tree/YamlTree.ts"

interface ParseOptions extends Sources {
  /** Its extension tells the language: yaml, yml, toml or json. Its folder is where relative paths begin. */
  readonly file: string
  readonly vendors: ReadonlyArray<KnownVendor>
}

const LONGEST_TEXT = 1_048_576

const parsers = new Map([
  ["yaml", parseYaml],
  ["yml", parseYaml],
  ["toml", parseToml],
  ["json", parseJson]
])

/** The text as a tree, before anything is filled in; undefined when it is no text of its language. */
export const parseTree = (text: string, report: Report): TreeNode | undefined => {
  const refuse = (found: string, allowed: string, message: string) =>
    report.add(wholeFile, "", { found, allowed, message })
  if (text.length > LONGEST_TEXT) {
    refuse("a larger file", "1 MiB", "the file is larger than 1 MiB")
    return undefined
  }
  if (text.includes("\0")) {
    refuse("UTF-16", "UTF-8", "the file is UTF-16, or no text; save it as UTF-8")
    return undefined
  }
  const extension = /\.(\w+)$/.exec(report.file)?.[1]?.toLowerCase() ?? ""
  const parse = parsers.get(extension)
  if (parse === undefined) {
    const allowed = [...parsers.keys()].join(", ")
    refuse(extension, allowed, `the name of the file must end in one of: ${allowed}`)
    return undefined
  }
  const tree = parse(text, report)
  if (tree?.kind === "scalar" && tree.value === null) {
    refuse("nothing", "fields", "the file is empty; `model-gateway init` writes one to start from")
    return undefined
  }
  return tree
}

export const parseSettings = (text: string, options: ParseOptions): Result.Result<Settings, ConfigInvalid> => {
  const report = new Report(options.file)
  return settingsIn(parseTree(text, report), report, options)
}

export const settingsIn = (
  tree: TreeNode | undefined,
  report: Report,
  options: ParseOptions
): Result.Result<Settings, ConfigInvalid> => {
  if (tree === undefined) return Result.fail(report.invalid())
  if (tree.kind === "table") {
    const message = otherProgramsFile(
      tree.entries.map(({ key }) => key),
      report.file
    )
    if (message !== undefined) {
      const at = tree.entries[0]?.at ?? tree.at
      const said = new Report(report.file)
      said.add(at, "", { found: "a file of another gateway", allowed: "a file of this gateway", message })
      return Result.fail(said.invalid())
    }
  }
  const settings = readSettings(new Here(interpolate(tree, "", options, report), "", report), options)
  return report.isEmpty && settings !== undefined ? Result.succeed(settings) : Result.fail(report.invalid())
}

/** Undefined where something is wrong, which is reported. */
const readSettings = (root: Here, { environment, file, vendors }: ParseOptions): Settings | undefined => {
  const declared = namesOfFile(root)
  const read = decode(root, configFile(declared, vendors))
  checkProviders(root.field("providers"), vendors)
  checkProxyVariables(environment, root.report)
  checkTimeouts(root.field("deployments"))
  checkAlerts(root.field("alerts"))
  const guardrails = root.field("guardrails")
  checkGuardrails(guardrails)
  checkContent(root.field("content"), guardrails?.field("checks")?.entries ?? [])
  if (read !== undefined) {
    checkReusePort(root, read.server.reuse_port, read.store.postgres !== undefined)
    checkAdminPort(root, read.server)
    checkIdentity(root, read.server)
    warnOfOld(root, read.server, read.store)
  }
  const deployments = deploymentsIn(root.field("deployments"))
  const aliases = aliasesIn(root.field("models"), deployments)
  const names = new SettingNames(declared.providers, deployments, aliases)
  const models = resolveAliases(aliases, names)
  const buckets = resolveBuckets(declared.buckets, names)
  if (root.isGroup && names.ids.length === 0 && !root.has("deployments")) {
    root.missing("deployments", "a list of models to call, as <provider>/<model>", { allowed: "a list" })
  }
  return (
    read && {
      server: serverSettings(read.server),
      logs: read.logs,
      masterKey: read.master_key,
      store: storeSettings(read.store, file),
      receipts: { keepMs: read.receipts.keep },
      responses: responseSettings(read.responses),
      idempotency: idempotencySettings(read.idempotency),
      providers: read.providers.flatMap(([name, provider]) => providerSettings(name, provider, vendors) ?? []),
      deployments: [...(read.deployments ?? []).map(deploymentSettings), ...names.onlyNamed.map(withDefaults)],
      models,
      aliasRules: aliasRules(read.models, aliases, names),
      router: routerSettings(read.router, buckets, file),
      failover: failoverSettings(read.failover),
      ...guardrailSettings(read.guardrails),
      cache: cacheSettings(read.cache),
      ...contentSettings(read.content, file),
      catalogue: catalogueSettings(read.catalogue, file, storeSettings(read.store, file).sqlite),
      alerts: alertSettings(read.alerts),
      ...identitySettings(read.identity, read.server),
      issuers: issuerSettings(read.identity?.issuers),
      warnings: root.report.warnings,
      places: new Map(names.places.map(({ at, id, path }) => [id, placeInWords(file, at, path)]))
    }
  )
}
