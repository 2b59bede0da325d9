/** The documents that are written from data: a test fails when a file differs from what this returns. */
import { providersDocument } from "../../packages/model-gateway/src/catalogue/ProvidersDocument.ts"
import { configurationPage } from "./ConfigurationPage.ts"

interface GeneratedPage {
  /** Relative to the repository. */
  readonly file: string
  readonly write: () => string
}

export const generatedPages: ReadonlyArray<GeneratedPage> = [
  { file: "docs/configuration.md", write: configurationPage },
  { file: "docs/providers.md", write: () => providersDocument() }
]
