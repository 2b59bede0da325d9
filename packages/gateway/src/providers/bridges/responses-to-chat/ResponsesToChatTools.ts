/**
 * The tools of a request as functions, which is all that chat has: tools in a namespace as `namespace__name`, tools that take any text
 * as functions of one string. What runs at a vendor is left out and named.
 */
import { isObject, objectsIn, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { NO_ARGUMENTS } from "../../protocols/shared/LowerChat.ts"
import type { KnownTool } from "../../responses/OpenItems.ts"

/** The field of a custom tool's function that holds its text. */
export const INPUT = "input"

const LONGEST_NAME = 64

export class ToolNames {
  readonly functions: Array<JsonObject> = []
  /** Where tools stand that chat has no place for, and their types. */
  readonly hosted: Array<{ readonly path: string; readonly type: string }> = []
  private readonly byFlat = new Map<string, KnownTool>()
  private readonly flatOf = new Map<string, string>()

  constructor(body: JsonObject) {
    this.add(body["tools"], "tools")
    const { input } = body
    if (!Array.isArray(input)) return
    for (const [index, item] of input.entries()) {
      // Tools that were given, or found, on the way.
      const isToolList =
        isObject(item) && (item["type"] === "additional_tools" || item["type"] === "tool_search_output")
      if (isToolList) this.add(item["tools"], `input[${index}].tools`)
    }
  }

  /** The caller's tool that a call of this function means. */
  known(flat: string): KnownTool {
    return this.byFlat.get(flat) ?? { kind: "function", name: flat, namespace: undefined }
  }

  /** The function for a tool. Namespaces may be left out, or named although the tool has none. */
  flat(name: string, namespace: unknown): string {
    return this.flatOf.get(keyOf(namespace, name)) ?? this.flatOf.get(keyOf(undefined, name)) ?? shortened(name)
  }

  has(name: string, namespace: unknown): boolean {
    return this.flatOf.has(keyOf(namespace, name)) || this.flatOf.has(keyOf(undefined, name))
  }

  private add(tools: unknown, path: string): void {
    if (!Array.isArray(tools)) return
    for (const [index, tool] of tools.entries()) {
      if (isObject(tool)) this.addTool(tool, `${path}[${index}]`, undefined)
    }
  }

  private addTool(tool: JsonObject, path: string, namespace: string | undefined): void {
    const { name, type = "function" } = tool
    if (type === "namespace") {
      for (const inner of objectsIn(tool["tools"])) this.addTool(inner, path, String(name))
      return
    }
    if ((type !== "function" && type !== "custom") || typeof name !== "string") {
      this.hosted.push({ path, type: typeof type === "string" ? type : "unknown" })
      return
    }
    if (this.flatOf.has(keyOf(namespace, name))) return
    const flat = this.free(shortened(namespace === undefined ? name : `${namespace}__${name}`))
    this.byFlat.set(flat, { kind: type, name, namespace })
    this.flatOf.set(keyOf(namespace, name), flat)
    this.functions.push({
      type: "function",
      function: type === "custom" ? textFunction(tool, flat) : plain(tool, flat)
    })
  }

  private free(name: string): string {
    if (!this.byFlat.has(name)) return name
    for (let number = 2; ; number++) {
      const next = `${name.slice(0, LONGEST_NAME - 4)}_${number}`
      if (!this.byFlat.has(next)) return next
    }
  }
}

const keyOf = (namespace: unknown, name: string): string => `${textOf(namespace) ?? ""}\n${name}`

/** Providers take letters, digits, `_` and `-`, up to 64 of them. Of a longer name the end says more than the middle. */
const shortened = (name: string): string => {
  const plainName = name.replace(/[^\w-]/g, "_")
  if (plainName.length <= LONGEST_NAME) return plainName
  return `${plainName.slice(0, 23)}__${plainName.slice(-39)}`
}

const plain = ({ description, parameters, strict }: JsonObject, name: string): JsonObject => ({
  name,
  ...(textOf(description) && { description }),
  parameters: isObject(parameters) ? parameters : NO_ARGUMENTS,
  ...(typeof strict === "boolean" ? { strict } : undefined)
})

const textFunction = ({ description, format }: JsonObject, name: string): JsonObject => {
  const said = typeof description === "string" ? description : ""
  const grammar = isObject(format) && format["type"] === "grammar" ? grammarOf(format) : ""
  return {
    name,
    description: [said, grammar].filter((one) => one !== "").join("\n\n"),
    parameters: {
      type: "object",
      properties: { [INPUT]: { type: "string", description: "The whole input of the tool, as plain text." } },
      required: [INPUT],
      additionalProperties: false
    }
  }
}

/** Chat can't hold the model to a grammar, so the model is told. */
const grammarOf = (format: JsonObject): string => {
  const given = isObject(format["grammar"]) ? format["grammar"] : format
  const syntax = given["syntax"] === "regex" ? "regular expression" : `${String(given["syntax"] ?? "lark")} grammar`
  return `\`${INPUT}\` must match this ${syntax} exactly:\n${String(given["definition"] ?? "")}`
}
