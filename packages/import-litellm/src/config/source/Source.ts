/** The files to import: parsed, joined to one as LiteLLM does, and their comments. */
import type { Report } from "@model-gateway/gateway/internal/config/Problem"
import { wholeFile } from "@model-gateway/gateway/internal/config/Problem"
import { parseYaml } from "@model-gateway/gateway/internal/config/tree/YamlTree"
import { Cursor } from "./Cursor.ts"
import { looksSecret } from "./SourceSecrets.ts"

const LARGEST = 1_048_576

const TEMPLATE = /\{\{|\{%|<%|\$\(/

/** What only LiteLLM's file has. */
const SECTIONS = ["model_list", "litellm_settings", "router_settings", "general_settings"]

export interface Source {
  readonly file: string
  readonly text: string
}

/** Undefined where it can't be used, which is reported. */
export const readSource = ({ file, text }: Source, report: Report): Cursor | undefined => {
  const refuse = (message: string, at = wholeFile) => {
    report.add(at, "", { found: "something else", allowed: "LiteLLM's config.yaml", message })
    return undefined
  }
  if (text.length > LARGEST) return refuse("the file is larger than 1 MiB, which no configuration is")
  const template = templateIn(text)
  if (template !== undefined) {
    return refuse(`this is a template (${template.sign}); render it first, and import what comes out`, template.at)
  }
  const tree = parseYaml(text, report, true)
  if (tree === undefined || !report.isEmpty) return undefined
  if (tree.kind === "scalar" && tree.value === null) return refuse("the file is empty; give LiteLLM's config.yaml")
  const root = new Cursor(tree, "", file)
  return tree.kind === "table" ? root : refuse("this is no configuration of LiteLLM: there are no sections in it")
}

export const isLiteLlm = (root: Cursor): boolean =>
  SECTIONS.some((name) => root.fields.has(name)) || root.fields.has("include")

/** Braces in comments, in text with quotes around more than them, and in JSON stand for themselves. */
const templateIn = (text: string) => {
  for (const [index, line] of text.split("\n").entries()) {
    const found = /^\s*(?:\{\{|\{%|<%)|[:-]\s+["']?(?:\{\{|<%=)|^[^#"']*\{%/.exec(line)
    if (found === null || line.trimStart().startsWith("#")) continue
    if (/^\s*\{\{?\s*$/.test(line)) continue
    const sign = TEMPLATE.exec(line)?.[0] ?? "{{"
    return {
      sign: `${sign} … ${sign === "{%" ? "%}" : sign === "<%" ? "%>" : "}}"}`,
      at: { line: index + 1, column: line.indexOf(sign) + 1 }
    }
  }
  return undefined
}

/** `include`: the names of further files, from the folder of this one. */
export const includedBy = (root: Cursor): ReadonlyArray<string> => {
  const written = root.field("include")
  return (written?.node.kind === "list" ? written.items : written === undefined ? [] : [written]).flatMap(
    (one) => one.text ?? []
  )
}

/** The lines of comments right above a line, without those that may hold a key. */
export const commentAbove = (
  text: ReadonlyArray<string>,
  line: number,
  secrets: ReadonlySet<string>
): string | undefined => {
  const found: Array<string> = []
  for (let index = line - 2; index >= 0; index--) {
    const comment = /^\s*#(.*)$/.exec(text[index] ?? "")?.[1]
    if (comment === undefined) break
    found.unshift(comment.trimEnd())
  }
  const kept = found.filter((comment) => !mayHoldSecret(comment, secrets))
  return kept.length === 0 ? undefined : kept.join("\n")
}

const mayHoldSecret = (comment: string, secrets: ReadonlySet<string>): boolean =>
  looksSecret(comment) ||
  /(key|token|secret|passw\w*|credential\w*|authorization)["']?\s*[:=]\s*\S/i.test(comment) ||
  [...secrets].some((secret) => secret.length >= 4 && comment.includes(secret))
