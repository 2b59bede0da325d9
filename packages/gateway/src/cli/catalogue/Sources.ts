/** The catalogues that commands compare: the one that ships, the operator's file, any other file. */
import { dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { loadSettings } from "../../config/LoadSettings.ts"
import type { CatalogueSettings, Settings } from "../../core/domain/Settings.ts"
import { type Catalogue, catalogueOf } from "../../providers/catalogue/facts/Catalogue.ts"
import { fileAt, withCatalogue } from "../../providers/catalogue/facts/LoadFile.ts"
import { shippedCatalogue } from "../../providers/catalogue/facts/Shipped.ts"
import { knownVendors } from "../../providers/vendors/Vendors.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

interface Configured {
  /** Undefined where there is no configuration file. */
  readonly settings: Settings | undefined
  readonly catalogue: CatalogueSettings
}

/** Without a configuration file the catalogue's file is beside where it would be. */
export const configured = Effect.fnUntraced(function* (config: string) {
  const environment = yield* Environment
  const files = yield* FileSystem.FileSystem
  const none = { file: join(dirname(config), "catalogue.json"), isNamed: false, lastGood: undefined, models: {} }
  if (!(yield* Effect.orElseSucceed(files.exists(config), () => false))) {
    const { catalogue } = yield* withCatalogue({ catalogue: none })
    return { settings: undefined, catalogue } satisfies Configured as Configured
  }
  const settings = yield* withCatalogue(yield* loadSettings({ file: config, vendors: knownVendors, environment }))
  return { settings, catalogue: settings.catalogue ?? none } satisfies Configured as Configured
})

/** `shipped`, `loaded`, or the path of a file. */
export const catalogueNamed = Effect.fnUntraced(function* (
  name: string,
  { file }: CatalogueSettings
): Effect.fn.Return<Catalogue, CommandFailed, FileSystem.FileSystem> {
  if (name === "shipped") return shippedCatalogue()
  const path = name === "loaded" ? file : name
  const found = yield* Effect.mapError(
    fileAt(path),
    ({ problems }) => new CommandFailed({ message: problems.join("\n") })
  )
  if (found !== undefined) return catalogueOf(found)
  const message = `There is no file ${path}: name a catalogue file, or \`shipped\`.`
  return yield* new CommandFailed({ message })
})
