/**
 * What a name in the file stands for: an alias, a deployment's id, or `<provider>/<model>`. Comes out as deployment ids.
 */
import type { DeploymentSettings } from "../core/domain/Settings.ts"
import type { Name } from "./Name.ts"
import { splitName, withDefaults, type Declared } from "./sections/Deployments.ts"

export interface Alias {
  readonly name: string
  readonly targets: ReadonlyArray<Name>
}

export class Names {
  private readonly providers: ReadonlyArray<string>
  private readonly aliases: ReadonlyMap<string, Alias>
  private readonly declared: Array<Declared>
  private readonly resolved = new Map<string, ReadonlyArray<string>>()

  constructor(providers: ReadonlyArray<string>, deployments: ReadonlyArray<Declared>, aliases: ReadonlyArray<Alias>) {
    this.providers = providers
    this.declared = [...deployments]
    this.aliases = new Map(aliases.map((alias) => [alias.name, alias]))
  }

  /** As listed, then those that were only named by an alias or a bucket. */
  get deployments(): ReadonlyArray<DeploymentSettings> {
    return this.declared.map((one) => one.settings)
  }

  /** Ids in order, each once. Empty where a name is unknown, which is reported. */
  resolve(names: ReadonlyArray<Name>): ReadonlyArray<string> {
    return this.follow(names, [])
  }

  /** The ids behind an alias. */
  resolveAlias(alias: Alias): ReadonlyArray<string> {
    return this.followAlias(alias, [])
  }

  private follow(names: ReadonlyArray<Name>, through: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...new Set(names.flatMap((name) => this.one(name, through)))]
  }

  private followAlias(alias: Alias, through: ReadonlyArray<string>): ReadonlyArray<string> {
    const known = this.resolved.get(alias.name)
    if (known !== undefined) return known
    const ids = this.follow(alias.targets, [...through, alias.name])
    this.resolved.set(alias.name, ids)
    return ids
  }

  private one(name: Name, through: ReadonlyArray<string>): ReadonlyArray<string> {
    const { value, here } = name
    if (through.includes(value)) {
      const circle = [...through.slice(through.indexOf(value)), value].join(" → ")
      here.problem(`this alias leads back to itself: ${circle}`, "names that lead to a deployment")
      return []
    }
    const alias = this.aliases.get(value)
    if (alias !== undefined) return this.followAlias(alias, through)
    if (this.declared.some((one) => one.settings.id === value)) return [value]

    const parts = splitName(value)
    if (parts !== undefined) {
      const same = this.deployments.filter((one) => one.provider === parts.provider && one.model === parts.model)
      if (same.length > 0) return same.map((one) => one.id)
      if (this.providers.includes(parts.provider)) {
        // A provider's model that is used is a deployment, listed or not.
        this.declared.push({ settings: withDefaults(parts), isFilledIn: here.isFilledIn })
        return [value]
      }
    }
    here.unknownName(value, "a deployment, an alias or <provider>/<model>", "known", this.known())
    return []
  }

  private known(): ReadonlyArray<string> {
    const shown = this.declared.filter((one) => !one.isFilledIn).map((one) => one.settings.id)
    return [...shown, ...this.aliases.keys()]
  }
}
