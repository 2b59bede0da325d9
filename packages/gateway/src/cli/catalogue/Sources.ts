/** The catalogues that commands compare: the one that ships, the operator's file, any other file. */
import { Effect, FileSystem } from "effect"
import { loadSettings } from "../../config/LoadSettings.ts"
import { catalogueSettings } from "../../config/sections/Catalogue.ts"
import type { CatalogueSettings, Settings } from "../../core/domain/Settings.ts"
import { type Catalogue, catalogueOf } from "../../providers/catalogue/facts/Catalogue.ts"
import { baseOf } from "../../providers/catalogue/facts/Layers.ts"
import { fileAt, type Reader, withCatalogue } from "../../providers/catalogue/facts/LoadFile.ts"
import { readCatalogue, readLearnt } from "../../providers/catalogue/facts/ReadFile.ts"
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
  const none = catalogueSettings({ models: {} }, config, ":memory:")
  if (!(yield* Effect.orElseSucceed(files.exists(config), () => false))) {
    const { catalogue } = yield* withCatalogue({ catalogue: none })
    return { settings: undefined, catalogue } satisfies Configured as Configured
  }
  const settings = yield* withCatalogue(yield* loadSettings({ file: config, vendors: knownVendors, environment }))
  return { settings, catalogue: settings.catalogue ?? none } satisfies Configured as Configured
})

/** `shipped`, `loaded`, `learnt` (what was learnt, on the catalogue in use), or the path of a file. */
export const catalogueNamed = Effect.fnUntraced(function* (
  name: string,
  { file, learnt, loaded }: CatalogueSettings
): Effect.fn.Return<Catalogue, CommandFailed, FileSystem.FileSystem> {
  if (name === "shipped") return shippedCatalogue()
  if (name !== "learnt") {
    const named = "name a catalogue file, `shipped` or `learnt`"
    return catalogueOf(yield* readAt(name === "loaded" ? file : name, readCatalogue, named))
  }
  const { models } = yield* readAt(learnt.file, readLearnt, "`model-gateway check --live --calls` writes it")
  const base = baseOf(loaded).file
  return catalogueOf({ ...base, version: `${base.version}+learnt` }, { learnt: models })
})

const readAt = Effect.fnUntraced(function* <File>(path: string, reader: Reader<File>, hint: string) {
  const found = yield* Effect.mapError(
    fileAt(path, reader),
    ({ problems }) => new CommandFailed({ message: problems.join("\n") })
  )
  return found ?? (yield* new CommandFailed({ message: `There is no file ${path}: ${hint}.` }))
})
