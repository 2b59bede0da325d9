/** LiteLLM's `config.yaml` → `gateway.yaml`, with what became of every value. Pure: files are handed in as texts. */
import { Result } from "effect"
import type { Order } from "@model-gateway/gateway/internal/core/domain/Settings"
import { matchesGlob } from "@model-gateway/gateway/internal/core/collections/Glob"
import { Report, wholeFile, type ConfigInvalid } from "@model-gateway/gateway/internal/config/Problem"
import { Account, type AccountLine } from "./source/ConfigAccount.ts"
import { Fallbacks, groupAliases, inlineIn, orderOf } from "./Aliases.ts"
import { explainRest } from "./Constructs.ts"
import { Cursor } from "./source/Cursor.ts"
import { Deployments } from "./LitellmDeployments.ts"
import {
  defaultsOf,
  failoverOf,
  logsOf,
  cacheOf,
  receiptsOf,
  masterKeyOf,
  noteOthers,
  serverOf,
  type Sections
} from "./General.ts"
import { type Entry, entryOf, weightsOf } from "./LitellmModels.ts"
import { type Fields, Providers } from "./LitellmProviders.ts"
import { variableIn, Variables, variablesOf } from "./source/SourceSecrets.ts"
import { commentAbove, isLiteLlm, readSource, type Source } from "./source/Source.ts"
import { writeYaml } from "./Write.ts"

export interface Converted {
  /** Undefined: no model could be carried over, and a file without models is of no use. */
  readonly text: string | undefined
  readonly lines: ReadonlyArray<AccountLine>
  /** The variables that the new file refers to. */
  readonly variables: ReadonlyArray<string>
  readonly counts: { readonly providers: number; readonly deployments: number; readonly models: number }
}

/** The name that callers use for the router, which no alias can have. */
const AUTO = "auto"

/** The first one is what was named; the others are what it includes. */
export const convert = (sources: ReadonlyArray<Source>): Result.Result<Converted, ConfigInvalid> => {
  const roots: Array<Cursor> = []
  for (const source of sources) {
    const report = new Report(source.file)
    const root = readSource(source, report)
    if (root === undefined) return Result.fail(report.invalid())
    if (roots.length === 0 && !isLiteLlm(root)) {
      const message = "this is no configuration of LiteLLM: it has neither a model_list nor any of its settings"
      report.add(wholeFile, "", { found: "other fields", allowed: "model_list", message })
      return Result.fail(report.invalid())
    }
    roots.push(root)
  }
  return Result.succeed(convertRoots(roots, sources))
}

const convertRoots = (roots: ReadonlyArray<Cursor>, sources: ReadonlyArray<Source>): Converted => {
  const account = new Account(roots)
  const variables = new Variables(sources.flatMap(({ text }) => variablesOf(text)))
  const providers = new Providers(account, variables)
  const sections: Sections = {
    litellm: joined(roots, "litellm_settings"),
    router: joined(roots, "router_settings"),
    general: joined(roots, "general_settings")
  }
  const means = { account, providers, credentials: credentialsIn(roots), defaults: defaultsOf(sections, account) }
  noteSecrets(roots, variables.secrets)
  const listed = roots.flatMap((root) => root.field("model_list")?.items ?? [])
  const written = [...listed, ...inlineModels(listed, sections, account)]
  const entries = written.flatMap((one) => entryOf(one, means) ?? [])
  const groups = Map.groupBy(entries, ({ name }) => name)
  const made = modelsOf(groups, sections, account)
  noteOthers(sections, account)
  const masterKey = masterKeyOf(sections, account, variables)
  const spreads = [...groups.values()].some((group) => group.length > 1)
  const rest = {
    server: serverOf(sections, account),
    logs: logsOf(sections, account),
    receipts: receiptsOf(sections, account),
    cache: cacheOf(sections, account),
    failover: failoverOf(sections, made.longest, spreads, account)
  }
  for (const root of roots) {
    sayVariables(root, account)
    account.say(root.field("include"), "carried", "those files were read, too")
    explainRest(root, account)
  }
  const comments = commentsOf(entries, made.deployments, sources, variables.secrets)
  const text = writeYaml(
    {
      master_key: masterKey,
      server: rest.server,
      logs: rest.logs,
      receipts: rest.receipts,
      providers: Object.fromEntries(providers.fields),
      deployments: made.deployments.written,
      models: Object.fromEntries(made.models),
      router: made.router,
      failover: rest.failover,
      cache: rest.cache
    },
    comments,
    sources[0]?.file.split("/").at(-1) ?? ""
  )
  const counts = { providers: providers.fields.size, deployments: made.deployments.written.length, models: groups.size }
  return {
    text: entries.length === 0 ? undefined : text,
    lines: account.lines,
    variables: entries.length === 0 ? [] : variablesOf(text).toSorted(),
    counts
  }
}

/** Fallbacks that are written out where they are used become models of `model_list`, named by their model. */
const inlineModels = (listed: ReadonlyArray<Cursor>, { litellm, router }: Sections, account: Account) => {
  const names = new Set(listed.map((one) => one.field("model_name")?.text ?? ""))
  const places = [litellm, router].flatMap((section) =>
    ["fallbacks", "context_window_fallbacks", "default_fallbacks"].map((name) => section?.field(name))
  )
  const own = listed.map((one) => one.field("litellm_params")?.field("fallbacks"))
  return [...places, ...own].flatMap(inlineIn).flatMap((inline) => {
    const name = inline.field("model")?.text ?? ""
    if (names.has(name)) {
      for (const [field, value] of inline.fields)
        if (field !== "model")
          account.say(value, "left_out", "the fallback is a model of model_list, with its own parameters")
      return []
    }
    names.add(name)
    const entries = [
      { key: "model_name", at: inline.node.at, value: inline.field("model")!.node },
      { key: "litellm_params", at: inline.node.at, value: inline.node }
    ]
    return [new Cursor({ kind: "table", at: inline.node.at, entries }, inline.path, inline.file)]
  })
}

/** A section of all files as one; those of later ones win. */
const joined = (roots: ReadonlyArray<Cursor>, name: string): Cursor | undefined => {
  const found = roots.flatMap((root) => root.field(name) ?? [])
  const [first] = found
  if (first === undefined || found.length === 1) return first
  const entries = found.flatMap(({ node }) => (node.kind === "table" ? node.entries : []))
  return new Cursor({ kind: "table", at: first.node.at, entries }, first.path, first.file)
}

const credentialsIn = (roots: ReadonlyArray<Cursor>): ReadonlyMap<string, Cursor> =>
  new Map(
    roots
      .flatMap((root) => root.field("credential_list")?.items ?? [])
      .flatMap((one) => {
        const name = one.field("credential_name")?.text
        const values = one.field("credential_values")
        return name === undefined || values === undefined ? [] : [[name, values] as const]
      })
  )

interface Made {
  readonly deployments: Deployments
  readonly models: ReadonlyMap<string, unknown>
  readonly router: Fields
  /** The most deployments that fallbacks bring to one name. */
  readonly longest: number
}

const modelsOf = (groups: ReadonlyMap<string, ReadonlyArray<Entry>>, sections: Sections, account: Account): Made => {
  const known = new Set(groups.keys())
  const fallbacks = new Fallbacks(known, account, (name) => ofWildcard(name, groups))
  for (const section of [sections.litellm, sections.router]) {
    fallbacks.add(section?.field("fallbacks"))
    fallbacks.add(
      section?.field("context_window_fallbacks"),
      "called after the others: a request that is too long for those goes there immediately, and any other when they fail"
    )
    fallbacks.addForAll(section?.field("default_fallbacks"))
  }
  for (const [name, group] of groups) for (const { params } of group) fallbacks.addTo(name, params.get("fallbacks"))
  const order = orderOf(sections.router?.field("routing_strategy"), account)
  const aliases = groupAliases(sections.router?.field("model_group_alias"), known, account)
  const deployments = new Deployments(new Set([...known, ...aliases.keys()]))
  const ids = new Map<string, ReadonlyArray<string>>()
  for (const [name, group] of groups) {
    const isAlone = group.length === 1 && fallbacks.of(name).length === 0
    const weights = weightsOf(group, account)
    ids.set(
      name,
      group.map((entry, index) => deployments.add(entry, weights?.[index], isAlone ? name : undefined, account))
    )
  }
  const models = new Map<string, unknown>()
  const router: Record<string, unknown> = {}
  for (const [name, group] of groups) {
    const own = ids.get(name) ?? []
    const hasOrder = group.some(({ params }) => params.has("order"))
    const others = fallbacks.of(name).flatMap((one) => (one === AUTO ? (ids.get(AUTO) ?? []) : [one]))
    if (name === AUTO) {
      router["buckets"] = { standard: [...own] }
      for (const { cursor } of group)
        account.say(
          cursor.field("model_name"),
          "changed",
          "auto is the router's name: these are its only bucket",
          "router.buckets"
        )
    } else if (own.length !== 1 || own[0] !== name || others.length > 0) {
      models.set(name, aliasOf(own, hasOrder ? "priority" : order, others))
    }
  }
  for (const [name, target] of fallbacks.wild) models.set(name, aliasOf([target], order, fallbacks.of(name)))
  for (const [alias, target] of aliases) {
    const own = ids.get(target) ?? []
    models.set(alias, models.get(target) ?? aliasOf(own, order, []))
  }
  const lengths = [...groups.keys()].map((name) => fallbacks.of(name).flatMap((one) => ids.get(one) ?? []).length)
  return { deployments, models, router, longest: Math.max(0, ...lengths) }
}

/** The pattern that says most of the name decides. */
const ofWildcard = (name: string, groups: ReadonlyMap<string, ReadonlyArray<Entry>>): string | undefined => {
  const pattern = [...groups.keys()]
    .filter((one) => one.includes("*") && matchesGlob(one, name))
    .toSorted((one, other) => other.length - one.length)[0]
  const [entry] = groups.get(pattern ?? "") ?? []
  if (pattern === undefined || entry === undefined || name.includes("*")) return undefined
  const [head = "", tail = ""] = pattern.split("*")
  const model = entry.model.replace("*", () => name.slice(head.length, name.length - tail.length))
  return `${entry.provider}/${model}`
}

/** As short as it can be said. */
const aliasOf = (own: ReadonlyArray<string>, order: Order, fallbacks: ReadonlyArray<string>): unknown => {
  if (own.length === 1 && fallbacks.length === 0) return own[0]
  return {
    deployments: own.length === 1 ? own[0] : own,
    ...(own.length === 1 ? {} : { order }),
    ...(fallbacks.length === 0 ? {} : { fallbacks })
  }
}

const sayVariables = (root: Cursor, account: Account): void => {
  for (const [name, value] of root.field("environment_variables")?.fields ?? []) {
    const isReference = variableIn(value.text ?? "") !== undefined
    const shown = /^[A-Za-z_]\w{0,60}$/.test(name) ? name : "it"
    account.say(
      value,
      "left_out",
      isReference
        ? `a variable of another name: set ${shown} itself, if anything still reads it`
        : `set ${shown} in the environment, if anything still reads it`
    )
  }
  for (const one of root.field("credential_list")?.items ?? []) {
    const isUsed = one.field("credential_values") !== undefined
    account.say(
      one.field("credential_name"),
      isUsed ? "carried" : "left_out",
      "its values are those of the providers that use it",
      "providers"
    )
    account.say(one.field("credential_info"), "not_needed", "a note about the credential")
    account.sayRest(one, "left_out", "no model uses it")
  }
}

const SECRET_NAME = /(key|token|secret|passw|credential|_url|dsn)/i

/** What no comment may hold: values under names like `api_key`. */
const noteSecrets = (cursors: ReadonlyArray<Cursor>, secrets: Set<string>): void => {
  for (const cursor of cursors) {
    const { text } = cursor
    const name = /[\w-]+(?=(\[\d+\])?$)/.exec(cursor.path)?.[0] ?? ""
    if (text !== undefined && SECRET_NAME.test(name) && variableIn(text) === undefined) secrets.add(text)
    noteSecrets(cursor.children, secrets)
  }
}

const commentsOf = (
  entries: ReadonlyArray<Entry>,
  deployments: Deployments,
  sources: ReadonlyArray<Source>,
  secrets: ReadonlySet<string>
): ReadonlyMap<string, string> => {
  const lines = new Map(sources.map(({ file, text }) => [file, text.split(/\r?\n/)]))
  return new Map(
    entries.flatMap(({ cursor }) => {
      const id = deployments.idOf(cursor)
      const comment = commentAbove(lines.get(cursor.file) ?? [], cursor.node.at.line, secrets)
      return id === undefined || comment === undefined ? [] : [[id, comment] as const]
    })
  )
}
