/** The catalogues that commands compare: the one that ships, the operator's file, any other file. */
import { Effect, FileSystem } from "effect"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { catalogueSettings } from "@model-gateway/gateway/internal/config/sections/CatalogueSection"
import type { CatalogueSettings, Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { type Catalogue, catalogueOf } from "@model-gateway/gateway/internal/providers/catalogue/facts/CatalogueInForce"
import { baseOf } from "@model-gateway/gateway/internal/providers/catalogue/facts/Layers"
import {
  fileAt,
  type CatalogueReader,
  withCatalogue
} from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import { readCatalogue, readLearnt } from "@model-gateway/gateway/internal/providers/catalogue/facts/ReadCatalogue"
import { shippedCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/Shipped"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
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

const readAt = Effect.fnUntraced(function* <File>(path: string, reader: CatalogueReader<File>, hint: string) {
  const found = yield* Effect.mapError(
    fileAt(path, reader),
    ({ problems }) => new CommandFailed({ message: problems.join("\n") })
  )
  return found ?? (yield* new CommandFailed({ message: `There is no file ${path}: ${hint}.` }))
})
