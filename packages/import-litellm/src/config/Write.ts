/** The new file as YAML. */
import { Document, isMap, isNode, isPair, isScalar, isSeq, type Node as YamlNode } from "yaml"

export interface Written {
  readonly [section: string]: unknown
}

/** `comments`: those of the old file, by the id of the deployment that they now stand above. */
export const writeYaml = (sections: Written, comments: ReadonlyMap<string, string>, source: string): string => {
  const filled = Object.entries(sections).filter(([, value]) => !isEmpty(value))
  const document = new Document(Object.fromEntries(filled), { aliasDuplicateObjects: false })
  document.commentBefore = ` Made by \`model-gateway import litellm\` from ${source}. \`model-gateway check\` says what it means.`
  for (const name of ["providers", "models"]) for (const item of valuesOf(document.get(name))) flow(item)
  for (const name of ["failover", "logs", "receipts", "cache", "server"]) flow(document.get(name))
  const deployments = document.get("deployments")
  for (const item of isSeq(deployments) ? deployments.items : []) {
    if (!isNode(item)) continue
    for (const value of valuesOf(item)) flow(value)
    const comment = comments.get(idOf(item))
    if (comment !== undefined) item.commentBefore = comment
  }
  for (const pair of isMap(document.contents) ? document.contents.items.slice(1) : []) {
    if (isPair(pair) && isNode(pair.key)) pair.key.spaceBefore = true
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)

const valuesOf = (node: unknown): ReadonlyArray<unknown> => (isMap(node) ? node.items.map((pair) => pair.value) : [])

const flow = (node: unknown): void => {
  if (isMap(node) || isSeq(node)) node.flow = true
}

const idOf = (item: YamlNode): string => {
  if (isScalar(item)) return String(item.value)
  if (!isMap(item)) return ""
  return String(item.get("id") ?? `${String(item.get("provider"))}/${String(item.get("model"))}`)
}
