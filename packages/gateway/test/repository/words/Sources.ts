/** The texts that users read, by where they read them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { parseSync } from "rolldown/utils"
import { root as command } from "../../../../model-gateway/src/Root.ts"
import { invoke } from "../../../../model-gateway/test/Invoke.ts"
import { generatedPages } from "../../../../../scripts/docs/Generated.ts"
import { readDocument, root, servedDocuments } from "../../support/DocumentFiles.ts"

/** One document, help page or source file. */
export interface Source {
  readonly name: string
  readonly text: string
  /** A program writes it, so that it may be long. */
  readonly isGenerated?: boolean
}

/** The tables of a benchmark quote its data. */
const withoutTablesOfBenchmarks = (text: string): string => text.replace(/<!-- bench:router: written by[^]*$/, "")

const generated = new Set(generatedPages.map(({ file }) => file))

const documents = (): ReadonlyArray<Source> =>
  [...servedDocuments, "SECURITY.md"].map((name) => ({
    name,
    text: withoutTablesOfBenchmarks(readDocument(name)),
    isGenerated: generated.has(name)
  }))

interface CommandLike {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<CommandLike> }>
}

const pathsOf = (
  { subcommands }: CommandLike,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...subcommands.flatMap(({ commands }) => commands.flatMap((one) => pathsOf(one, [...path, one.name])))
]

/** A help page without its columns: every line is a paragraph, every description stands alone. */
const paragraphs = (page: string): string =>
  page
    .replaceAll(/^ +(?:\S+ )*\S+ {2,}(?=\S)/gm, "")
    .replaceAll(/^ +/gm, "")
    .replaceAll("\n", "\n\n")

const help = (): Promise<ReadonlyArray<Source>> =>
  Effect.runPromise(
    Effect.forEach(pathsOf(command as unknown as CommandLike), (path) =>
      Effect.map(invoke([...path, "--help"], {}), ({ stdout }) => ({
        name: `model-gateway ${path.join(" ")} --help`,
        text: paragraphs(stdout)
      }))
    )
  )

/** Attributes that are shown or read out. */
const SHOWN = new Set(["title", "label", "placeholder", "alt", "aria-label", "hint", "empty", "note"])

/** Text of elements and of shown attributes, and literals of several words. */
const shownTexts = (source: string, file: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: unknown, attribute?: string): void => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, attribute))
    if (typeof node !== "object" || node === null || !("type" in node)) return
    const { type, value } = node as { readonly type: string; readonly value?: unknown }
    if (type === "ImportDeclaration") return
    if (type === "JSXText" && typeof value === "string") found.push(value)
    if (type === "JSXAttribute") {
      const { name } = node as unknown as { readonly name: { readonly name: string } }
      return visit(value, name.name)
    }
    if (type === "Literal" && typeof value === "string") {
      const isShown = attribute === undefined ? /\w \w/.test(value) : SHOWN.has(attribute)
      if (isShown) found.push(value)
    }
    if (type === "TemplateElement" && attribute !== "class") {
      const { cooked } = value as { readonly cooked: string }
      if (/\w \w/.test(cooked)) found.push(cooked)
    }
    for (const inner of Object.values(node)) visit(inner, attribute)
  }
  visit(parseSync(file, source).program.body)
  return found
}

const dashboard = (): ReadonlyArray<Source> => {
  const folder = join(root, "packages/dashboard/src")
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
    .toSorted()
    .map((name) => ({
      name: `packages/dashboard/src/${name}`,
      text: shownTexts(readFileSync(join(folder, name), "utf8"), name)
        .map((text) => text.replaceAll(/\s+/g, " ").trim())
        .filter((text) => /[A-Za-z]/.test(text))
        .join("\n\n")
    }))
}

export const sources = { documents, help, dashboard }
