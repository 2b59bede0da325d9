/** Files of the chart that are made of what others know: vendors of the gateway's sources, the table of values of their schema. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import { startersOf } from "../../model-gateway/src/catalogue/Starters.ts"
import { knownVendors } from "../../gateway/src/providers/vendors/Vendors.ts"

const chart = join(import.meta.dirname, "..", "chart")

/** By the variable that holds a vendor's key: its name, and the models that `model-gateway init` would take. */
export const vendorsOf = (): string => {
  const known = knownVendors.flatMap(({ apiKeyVariable, name }) =>
    apiKeyVariable === undefined || startersOf(name).length === 0
      ? []
      : [[apiKeyVariable, { provider: name, models: [...new Set(startersOf(name))] }] as const]
  )
  return `# Made by \`npm run deploy:files\` of packages/gateway/src/providers/vendors.\n${stringify(Object.fromEntries(known))}`
}

interface Field {
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<string>
  readonly description?: string
  readonly properties?: Readonly<Record<string, Field>>
}

const isGroup = (field: Field): boolean => field.type === "object" && field.properties !== undefined

/** Sections of the configuration file are documented elsewhere. */
const OPAQUE = new Set(["config", "global"])

const rows = (fields: Readonly<Record<string, Field>>, defaults: unknown, path = ""): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) => {
    const at = `${path}${name}`
    const value = typeof defaults === "object" && defaults !== null ? Reflect.get(defaults, name) : undefined
    if (isGroup(field) && !OPAQUE.has(at)) return rows(field.properties ?? {}, value, `${at}.`)
    if (at === "global") return []
    const choice = field.enum === undefined ? "" : ` One of ${field.enum.map((one) => `\`${one}\``).join(", ")}.`
    return [`| \`${at}\` | \`${JSON.stringify(value)}\` | ${field.description ?? ""}${choice} |`]
  })

export const readmeOf = (): string => {
  const schema: Field = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"))
  const defaults: unknown = parse(readFileSync(join(chart, "values.yaml"), "utf8"))
  return `# The chart

\`\`\`sh
kubectl create namespace gateway
kubectl --namespace gateway create secret generic gateway-model-gateway-master-key --from-literal=master-key="$(openssl rand -base64 33)"
helm install gateway packages/deploy/chart --namespace gateway --set image.repository=registry.example.com/model-gateway \\
  --set providerKeys.OPENAI_API_KEY="$OPENAI_API_KEY"
\`\`\`

How to build the image, and what to set in production: [docs/deploy.md](../../../docs/deploy.md). A value that is not in this table is an
error, and so is one that can't work; the message says why.

| value | default | what |
|---|---|---|
${rows(schema.properties ?? {}, defaults).join("\n")}

This table is made of \`values.schema.json\` by \`npm run deploy:files\`.
`
}
