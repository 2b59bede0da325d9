/** The samples of the documents: every fenced block that names its language. */
import { readDocument, servedDocuments } from "../../support/DocumentFiles.ts"

export interface Sample {
  readonly document: string
  /** `docs/keys.md:8`: where its text begins. */
  readonly place: string
  readonly language: string
  readonly code: string
}

/** Packages whose README has a test of its own are not among them. */
const documents = [...servedDocuments, "CONTRIBUTING.md", "packages/model-gateway/README.md"]

const samplesOf = (document: string): ReadonlyArray<Sample> => {
  const text = readDocument(document)
  return Array.from(text.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ({ 1: language = "", 2: code = "", index }) => ({
    document,
    place: `${document}:${text.slice(0, index).split("\n").length + 1}`,
    language,
    code
  }))
}

const all: ReadonlyArray<Sample> = documents.flatMap(samplesOf)

export const samplesIn = (language: string): ReadonlyArray<Sample> => all.filter((one) => one.language === language)

export const languages: ReadonlySet<string> = new Set(all.map(({ language }) => language))

/** Documents of one error code show that very code. */
export const codeOf = (document: string): string | undefined => /^docs\/errors\/(\w+)\.md$/.exec(document)?.[1]

/** Where the samples say that the gateway is. */
export const ADDRESS = "http://127.0.0.1:4100"
