/** `docs/providers.md`, made of the vendors' data. */
import { operationNames } from "@model-gateway/gateway/internal/core/domain/OperationName"
import type { VendorSetting } from "@model-gateway/gateway/internal/core/domain/ProviderOptions"
import type { Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { registryOf } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"
import { vendorRow, type VendorRow } from "./VendorTable.ts"
import { allVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"

const HEAD = `# Providers

\`npm run docs -- --pages\` writes this page from \`packages/gateway/src/providers/vendors\`. \`model-gateway providers\` prints the same for the installed
version.

The name of a provider in the configuration, or its \`vendor\`, selects one of these vendors. Facts come from recorded traffic or from the listed
sources, with the day on which they were read.

- *recorded*: the tests replay the vendor's real traffic through the gateway.
- *documented*: the vendor's documentation was read.
- *unverified*: neither.

\`\`\`yaml
providers:
  groq: { api_key: "\${GROQ_API_KEY}" }
  azure: { resource: my-resource, api_key: "\${AZURE_OPENAI_API_KEY}" }
  at-home: { vendor: vllm, base_url: "http://10.0.0.7:8000/v1", api_key: none }
  other: { protocol: openai-chat, base_url: "https://llm.example.com/v1", api_key: "\${EXAMPLE_KEY}" }
deployments:
  - groq/openai/gpt-oss-120b
  - { provider: azure, model: our-deployment, base_model: gpt-5-mini }
\`\`\`

If the vendor uses a name of yours for a model, set \`base_model\` to the actual model. Parameters, limits and prices follow it. \`model-gateway check --live\`
lists the models of each configured provider, and reports unknown models and refused keys.

## Operations

● the vendor has the operation, for models that support it; ○ the gateway translates it from another operation.
`

export const providersDocument = (vendors: ReadonlyArray<Vendor> = allVendors): string => {
  const registry = registryOf()
  const rows = vendors.map((vendor) => vendorRow(vendor, registry))
  return `${[HEAD.trimEnd(), operations(rows), ...rows.map(section)].join("\n\n")}\n`
}

const operations = (rows: ReadonlyArray<VendorRow>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  return [
    line(["vendor", ...operationNames.map((name) => name.replaceAll("_", " "))]),
    line(["---", ...operationNames.map(() => "---")]),
    ...rows.map(({ bridged, name, native }) =>
      line([
        `[${name}](#${name})`,
        ...operationNames.map((one) => (native.includes(one) ? "●" : bridged.includes(one) ? "○" : ""))
      ])
    )
  ].join("\n")
}

const section = (row: VendorRow): string =>
  [
    `## ${row.name}`,
    `${row.title}, ${row.standing}.`,
    facts(row)
      .map(([what, said]) => `- ${what}: ${said}`)
      .join("\n"),
    ...(row.notes.length === 0 ? [] : [row.notes.map((note) => `- ${note}`).join("\n")]),
    ...(row.sources.length === 0
      ? []
      : [`Read: ${row.sources.map(({ read, url }) => `<${url}> (${read})`).join(", ")}.`])
  ].join("\n\n")

const facts = (row: VendorRow): ReadonlyArray<readonly [what: string, said: string]> => [
  ["protocol", `\`${row.protocol}\``],
  ["address", row.address === undefined ? "`base_url` of the configuration" : `\`${row.address}\``],
  ["authentication", row.auth],
  ...(row.keyVariable === undefined ? [] : [["key", `\`api_key: "\${${row.keyVariable}}"\``] as const]),
  ...row.settings.map((setting) => ["setting", settingInWords(setting)] as const),
  ["prices", row.isPriced ? "from the model catalogue, or the configuration" : "from the configuration alone"]
]

const settingInWords = ({ name, otherwise, variable, what }: VendorSetting): string => {
  const said = variable === undefined ? "" : `, often in \`${variable}\``
  const left = otherwise === undefined ? "" : `; left out: \`${otherwise}\``
  return `\`${name}\`, ${what}${said}${left}`
}
