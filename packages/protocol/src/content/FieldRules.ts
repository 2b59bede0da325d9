/**
 * What the fields of a body hold. Every string and every member name is content unless a rule says otherwise, so that a field which
 * a vendor adds later is checked without a change here.
 */

/** A JSON object of a request, a response or an event. */
export type ContentBody = { readonly [field: string]: unknown }

/** Guardrails rewrite the first four; the others can only be denied or flagged. */
export const contentKinds = [
  "text",
  "reasoning",
  "tool_arguments",
  "tool_result",
  "signed_reasoning",
  "tool_name",
  "tool_definition",
  "name"
] as const

export type ContentKind = (typeof contentKinds)[number]

const maskable: ReadonlySet<ContentKind> = new Set(["text", "reasoning", "tool_arguments", "tool_result"])

/** Whether a text of this kind may be rewritten. */
export const isMaskable = (kind: ContentKind): boolean => maskable.has(kind)

/**
 * - `none`: no content: ids, enumerations, names of models.
 * - `data`: content unless it is base64 in an object that does not say `"type": "text"`. `url`: content unless it is a `data:` URL in
 *   base64. `tokens`: text as numbers.
 * - `piece`: in an event of a stream, a part of a longer text.
 * - `repeats`: the text once more in another form, which is removed where responses are checked: log probabilities, spoken output.
 */
type Mark = "none" | "data" | "url" | "tokens" | "piece" | "repeats"

export interface ContentRule {
  kind?: ContentKind
  mark?: Mark
  /** By name; `*` is every item of a list, `?` every other member that is a string. Names are fields of the API, not content. */
  readonly below: Map<string, ContentRule>
}

/** Paths separated by white space: `messages.*.role`. A path of `piece` or of a kind also holds for all that is below it. */
type FieldPaths = { readonly [Name in Mark | ContentKind | "field"]?: string }

/** `field`: names of the API whose values are content of the kind of what holds them. */
export const fieldRules = (...all: ReadonlyArray<FieldPaths>): ContentRule => {
  const root: ContentRule = { below: new Map() }
  for (const paths of all) {
    for (const [name, list] of Object.entries(paths)) {
      for (const path of list.split(/\s+/)) if (path !== "") mark(ruleAt(root, path.split(".")), name)
    }
  }
  return root
}

/** The same paths below another one. */
export const below = (prefix: string, paths: FieldPaths): FieldPaths =>
  Object.fromEntries(
    Object.entries(paths).map(([name, list]) => [
      name,
      list
        .split(/\s+/)
        .map((path) => (path === "" ? "" : `${prefix}.${path}`))
        .join(" ")
    ])
  )

const ruleAt = (root: ContentRule, path: ReadonlyArray<string>): ContentRule => {
  let rule = root
  for (const name of path) {
    const known = rule.below.get(name)
    if (known === undefined) rule.below.set(name, (rule = { below: new Map() }))
    else rule = known
  }
  return rule
}

const marks: ReadonlySet<string> = new Set<Mark>(["none", "data", "url", "tokens", "piece", "repeats"])

const mark = (rule: ContentRule, name: string): void => {
  if (marks.has(name)) rule.mark = name as Mark
  else if (name !== "field") rule.kind = name as ContentKind
}
