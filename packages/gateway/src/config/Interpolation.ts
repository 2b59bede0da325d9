/**
 * `${NAME}`, `${NAME:-default}` and `${file:/run/secrets/x}` in any text of the file; `$${` is a plain `${`. Keys are left alone.
 * What is filled in is never shown again: the tree remembers what was written in its place.
 */
import { Option, Result } from "effect"
import { variableMeant } from "./KeyMistakes.ts"
import type { Report } from "./Problem.ts"
import { didYouMean } from "../core/collections/Suggest.ts"
import { keyPath, type TreeNode, type Scalar } from "./tree/Tree.ts"

/** Environment variables; an empty one counts as not set. */
export type Environment = ReadonlyMap<string, string> | Readonly<Record<string, string | undefined>>

export interface Sources {
  readonly environment: Environment
  /** The text of a file named in `${file:…}`, or why it can't be read, e.g. `no such file`. */
  readonly readFile: (path: string) => Result.Result<string, string>
}

export const lookUp = (environment: Environment, name: string): string | undefined => {
  const value = isMap(environment) ? environment.get(name) : environment[name]
  return value === "" ? undefined : value
}

const namesOf = (environment: Environment): ReadonlyArray<string> =>
  isMap(environment) ? [...environment.keys()] : Object.keys(environment)

const isMap = (environment: Environment): environment is ReadonlyMap<string, string> => environment instanceof Map

const PIECE = /\$\$\{|\$\{([^}]*)(\}?)/g
const VARIABLE = /^([A-Za-z_]\w*)(?::-(.*))?$/s
const FILE = /^file:(.+)$/s

/** Every file that `${file:…}` names, as written. */
export const filesNamedIn = (node: TreeNode): ReadonlyArray<string> => {
  if (node.kind === "list") return node.items.flatMap(filesNamedIn)
  if (node.kind === "table") return node.entries.flatMap((entry) => filesNamedIn(entry.value))
  if (node.kind === "broken" || typeof node.value !== "string") return []
  return Array.from(node.value.matchAll(PIECE)).flatMap((piece) => FILE.exec(piece[1] ?? "")?.[1] ?? [])
}

/** The tree with everything filled in. What can't be is reported and becomes `broken`. */
export const interpolate = (node: TreeNode, path: string, sources: Sources, report: Report): TreeNode => {
  switch (node.kind) {
    case "broken":
      return node
    case "list":
      return {
        ...node,
        items: node.items.map((item, index) => interpolate(item, `${path}[${index}]`, sources, report))
      }
    case "table":
      return {
        ...node,
        entries: node.entries.map((entry) => ({
          ...entry,
          value: interpolate(entry.value, keyPath(path, entry.key), sources, report)
        }))
      }
    case "scalar":
      if (typeof node.value !== "string") return node
      return node.value.includes("${")
        ? fillIn(node, node.value, path, sources, report)
        : withoutReference(node, node.value, path, report)
  }
}

/** The form that another program fills in is text here: nobody means that. */
const withoutReference = (node: Scalar, text: string, path: string, report: Report): TreeNode => {
  const name = variableMeant(text)
  if (name === undefined) return node
  const allowed = `"\${${name}}"`
  const message = `this is plain text here, not a variable; write ${allowed}`
  report.add(node.at, path, { found: "a reference in another form", allowed, message })
  return { kind: "broken", at: node.at }
}

const fillIn = (node: Scalar, text: string, path: string, sources: Sources, report: Report): TreeNode => {
  let isComplete = true
  let isInterpolated = false
  const value = text.replace(PIECE, (piece, expression: string | undefined, end: string | undefined) => {
    if (expression === undefined) return "${"
    isInterpolated = true
    const filled = end === "}" ? evaluate(expression, sources) : Result.fail(malformed)
    if (Result.isSuccess(filled)) return filled.success
    isComplete = false
    report.add(node.at, path, filled.failure)
    return piece
  })
  if (!isComplete) return { kind: "broken", at: node.at }
  return isInterpolated ? { ...node, value, written: withoutDefaults(text) } : { ...node, value }
}

const malformed = {
  found: "a ${ that can't be read",
  allowed: "${NAME}, ${NAME:-default}, ${file:/path}",
  message: "a ${ that can't be read; write ${NAME}, ${NAME:-default} or ${file:/path}, and $${ for a plain ${"
}

const evaluate = (expression: string, sources: Sources): Result.Result<string, typeof malformed> => {
  const file = FILE.exec(expression)?.[1]
  if (file !== undefined) return fileContent(file, sources)

  const [, name, fallback] = VARIABLE.exec(expression) ?? []
  if (name === undefined || fallback?.includes("${")) return Result.fail(malformed)
  const value = lookUp(sources.environment, name) ?? fallback
  if (value !== undefined) return Result.succeed(value)
  const isEmpty = namesOf(sources.environment).includes(name)
  const others = namesOf(sources.environment).filter((other) => other !== name)
  const message =
    `the environment variable ${name} is ${isEmpty ? "empty" : "not set"}; ` +
    `set it before the start (export ${name}=…) or write a default: \${${name}:-…}` +
    didYouMean(name, others)
  return Result.fail({
    found: isEmpty ? "an empty variable" : "a variable that is not set",
    allowed: "a variable that is set",
    message
  })
}

const fileContent = (file: string, sources: Sources): Result.Result<string, typeof malformed> => {
  const unreadable = (why: string) => ({
    found: why,
    allowed: "a file that can be read",
    message: `the file ${file} can't be used: ${why}; it must hold the value and nothing else`
  })
  return Result.match(sources.readFile(file), {
    onFailure: (why) => Result.fail(unreadable(why)),
    // Editors and `echo` end a file with a line break that is no part of the secret.
    onSuccess: (content) => {
      const value = content.replace(/\r?\n$/, "")
      return value === "" ? Result.fail(unreadable("it is empty")) : Result.succeed(value)
    }
  })
}

/** A default may be a secret, too. */
const withoutDefaults = (text: string): string => text.replace(/(\$\{\w+:-)[^}]*\}/g, "$1…}")

const WHOLE = /^\$\{[^}]*\}$/

/** The text of a scalar that is one `${…}` and nothing else: there a number may be meant. */
export const filledInWhole = (node: Scalar): Option.Option<string> =>
  typeof node.value === "string" && node.written !== undefined && WHOLE.test(node.written)
    ? Option.some(node.value)
    : Option.none()
