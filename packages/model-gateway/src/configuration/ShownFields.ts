/** A configuration file for people who may not see its secrets: every field with its place. */
import type { ShownField } from "@model-gateway/gateway/internal/core/domain/Configuration"
import { parseTree } from "@model-gateway/gateway/internal/config/ParseSettings"
import { Report } from "@model-gateway/gateway/internal/config/Problem"
import { keyPath, type TreeNode } from "@model-gateway/gateway/internal/config/tree/Tree"

/** Names of fields whose texts are never shown: better one too many. Addresses may hold a password. */
const SECRET = /key|secret|token|password|passphrase|credential|url|auth|header|cookie|private|dsn|connection/i
/** A name in the environment, or a file, and nothing else. */
const REFERENCE = /^\$\{[^}]*\}$/
/** Texts that look like keys wherever they stand: by how vendors begin theirs, or by their length. */
const KEY_BY_BEGINNING = /^(?:sk|pk|rk|mgw|key|xox\w|gh\w|AKIA|AIza)[-_\w]{12,}$/
const KEY_BY_LENGTH = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=-]{32,}$/
/** Without a space after its colon, `api_key:sk-…` is one name in YAML. */
const RUN_TOGETHER = /^(\w+)[:=](.+)$/s
/** No limit is as large; a key may be made of digits only. */
const LARGEST_SHOWN = 1e8

/** Nothing for a text that is no tree at all. `${…}` stays as it is, without its default. */
export const shownFields = (text: string, file: string): ReadonlyArray<ShownField> => {
  const tree = parseTree(text, new Report(file))
  return tree === undefined ? [] : [...fieldsIn(tree, "", false)]
}

function* fieldsIn(node: TreeNode, path: string, isSecret: boolean): Generator<ShownField> {
  if (node.kind === "table") {
    for (const { key, value } of node.entries) {
      yield* fieldsIn(value, keyPath(path, shownName(key)), isSecret || SECRET.test(key))
    }
    return
  }
  if (node.kind === "list") {
    for (const [index, item] of node.items.entries()) yield* fieldsIn(item, `${path}[${index}]`, isSecret)
    return
  }
  if (node.kind === "broken") return
  const { column, line } = node.at
  const value = node.value instanceof Date ? node.value.toISOString() : node.value
  const isHidden =
    (typeof value === "string" &&
      !REFERENCE.test(value) &&
      !isPlainAddress(path, value) &&
      (isSecret || isKeyLike(value))) ||
    (typeof value === "number" && isSecret && Math.abs(value) >= LARGEST_SHOWN)
  const shown = typeof value === "string" ? value.replace(/(\$\{[^}:]*):-[^}]*\}/g, "$1}") : value
  yield { path, value: isHidden ? null : shown, isSecret: isHidden, line, column }
}

/** Which host a provider is at is no secret, unless its address holds one. */
const isPlainAddress = (path: string, value: string): boolean => {
  const url = path.endsWith(".base_url") ? URL.parse(value) : null
  if (url === null || !url.protocol.startsWith("http")) return false
  const { hash, password, pathname, search, username } = url
  return password + username + search + hash === "" && !pathname.split("/").some(isKeyLike)
}

const isKeyLike = (text: string): boolean => KEY_BY_BEGINNING.test(text) || KEY_BY_LENGTH.test(text)

/** Names of models are long as well, so length alone hides no name. */
const shownName = (name: string): string => {
  const [, field = "", rest = ""] = RUN_TOGETHER.exec(name) ?? []
  if (field !== "" && (SECRET.test(field) || isKeyLike(rest))) return `${field}…`
  return KEY_BY_BEGINNING.test(name) ? `${name.slice(0, 3)}…` : name
}
