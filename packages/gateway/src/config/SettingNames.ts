/** What a name in the file stands for: an alias, a deployment's id, or `<provider>/<model>`. Comes out as deployment ids. */
import type { Here } from "./Here.ts"
import type { Position } from "./Problem.ts"
import { didYouMean, listed } from "../core/collections/Suggest.ts"

/** What a name stands for, in messages about what else stands there. */
export const TARGETS = "deployment ids, aliases or <provider>/<model>"

/** Text together with where it stands. */
export interface PlacedName {
  readonly value: string
  readonly here: Here
}

export interface Alias {
  readonly name: string
  readonly targets: ReadonlyArray<PlacedName>
  /** What is asked after all of those. Whoever names the alias does not get them. */
  readonly fallbacks: ReadonlyArray<PlacedName>
}

export interface ModelName {
  readonly provider: string
  readonly model: string
}

/** A deployment as far as a name can tell it from others. */
export interface Declared extends ModelName {
  readonly id: string
  /** Part of the id came from outside the file: it must not be shown in messages. */
  readonly isFilledIn: boolean
  /** Where it stands: what says its model, or names it first. */
  readonly here: Here
}

/** `<provider>/<model>` in two; models may have slashes, providers can't. */
export const splitName = (text: string): ModelName | undefined => {
  const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(text) ?? []
  return provider === undefined || model === undefined ? undefined : { provider, model }
}

/** One name or a list of them. What is no text is left out: the schema refuses it. */
export const namesIn = (here: Here): ReadonlyArray<PlacedName> =>
  (here.node.kind === "list" ? here.items : [here]).flatMap((one) =>
    one.text === undefined || one.text.trim() === "" ? [] : [{ value: one.text, here: one }]
  )

export class SettingNames {
  private readonly providers: ReadonlyArray<string>
  private readonly aliases: ReadonlyMap<string, Alias>
  private readonly declared: Array<Declared>
  private readonly implied: Array<ModelName> = []
  private readonly resolved = new Map<string, ReadonlyArray<string>>()

  constructor(providers: ReadonlyArray<string>, deployments: ReadonlyArray<Declared>, aliases: ReadonlyArray<Alias>) {
    this.providers = providers
    this.declared = [...deployments]
    this.aliases = new Map(aliases.map((alias) => [alias.name, alias]))
  }

  get onlyNamed(): ReadonlyArray<ModelName> {
    return this.implied
  }

  /** As listed, then those that are only named. */
  get ids(): ReadonlyArray<string> {
    return this.declared.map((one) => one.id)
  }

  get places(): ReadonlyArray<{ readonly id: string; readonly at: Position; readonly path: string }> {
    return this.declared.map(({ here: { at, path }, id }) => ({ id, at, path }))
  }

  /** Whether its model has a `*`: it stands for any model that callers name, and for none by itself. */
  isWildcard(id: string): boolean {
    return this.declared.some((one) => one.id === id && one.model.includes("*"))
  }

  /** Ids in order, each once. Empty where a name is unknown, which is reported. */
  resolve(names: ReadonlyArray<PlacedName>): ReadonlyArray<string> {
    return this.follow(names, [])
  }

  resolveAlias(alias: Alias): ReadonlyArray<string> {
    return this.followAlias(alias, [])
  }

  private follow(names: ReadonlyArray<PlacedName>, through: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...new Set(names.flatMap((name) => this.one(name, through)))]
  }

  private followAlias(alias: Alias, through: ReadonlyArray<string>): ReadonlyArray<string> {
    const known = this.resolved.get(alias.name)
    if (known !== undefined) return known
    const ids = this.follow(alias.targets, [...through, alias.name])
    this.resolved.set(alias.name, ids)
    return ids
  }

  private one(name: PlacedName, through: ReadonlyArray<string>): ReadonlyArray<string> {
    const { value, here } = name
    if (through.includes(value)) {
      const circle = [...through.slice(through.indexOf(value)), value].join(" → ")
      here.problem(`this alias leads back to itself: ${circle}`, "names that lead to a deployment")
      return []
    }
    const alias = this.aliases.get(value)
    if (alias !== undefined) return this.followAlias(alias, through)
    if (this.declared.some((one) => one.id === value)) return [value]

    const parts = splitName(value)
    if (parts !== undefined) {
      const same = this.declared.filter((one) => one.provider === parts.provider && one.model === parts.model)
      if (same.length > 0) return same.map((one) => one.id)
      if (this.providers.includes(parts.provider)) {
        // A provider's model that is used is a deployment, listed or not.
        this.declared.push({ ...parts, id: value, isFilledIn: here.isFilledIn, here })
        this.implied.push(parts)
        return [value]
      }
    }
    const known = this.known(through)
    const allowed = listed(known)
    const message = `${here.shown} is not a deployment, an alias or <provider>/<model>${didYouMean(value, known)}`
    here.problem(`${message} (known: ${allowed})`, allowed)
    return []
  }

  /** What may stand behind the aliases of `through`: not they themselves. */
  private known(through: ReadonlyArray<string>): ReadonlyArray<string> {
    const shown = this.declared.filter((one) => !one.isFilledIn).map((one) => one.id)
    return [...shown, ...[...this.aliases.keys()].filter((alias) => !through.includes(alias))]
  }
}
