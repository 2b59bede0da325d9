/** What is known of the vendors, for people at a terminal. */
import type { VendorRow } from "../catalogue/VendorTable.ts"
import { pairs, table } from "./Table.ts"

export const vendorsAsText = (rows: ReadonlyArray<VendorRow>): string =>
  table(
    [
      { title: "NAME", value: (row: VendorRow) => row.name },
      { title: "STANDING", value: (row: VendorRow) => row.standing },
      { title: "KEY", value: (row: VendorRow) => row.keyVariable ?? "-" },
      { title: "SETTINGS", value: (row: VendorRow) => required(row).join(", ") || "-", wraps: true },
      { title: "SERVES", value: (row: VendorRow) => row.native.join(", "), wraps: true }
    ],
    rows
  )

/** Those without which there is no address. */
const required = ({ address, settings }: VendorRow): ReadonlyArray<string> =>
  address === undefined
    ? ["base_url"]
    : settings.flatMap(({ name, otherwise }) =>
        otherwise === undefined && address.includes(`{${name}}`) ? [name] : []
      )

export const vendorAsText = (row: VendorRow): string => {
  const facts = pairs([
    ["name", row.name],
    ["title", row.title],
    ["standing", row.standing],
    ["protocol", row.protocol],
    ["address", row.address ?? "base_url of the configuration"],
    ["authentication", plain(row.auth)],
    ["key", row.keyVariable === undefined ? "not needed" : `api_key: "\${${row.keyVariable}}"`],
    ...row.settings.map(({ name, variable, what }) => {
      const said = variable === undefined ? "" : ` (often in ${variable})`
      return [`setting ${name}`, `${what}${said}`] as const
    }),
    ["serves itself", row.native.join(", ")],
    ["over a bridge", row.bridged.join(", ") || "-"],
    ["prices", row.isPriced ? "model catalogue, or the configuration" : "configuration alone"]
  ])
  const notes = row.notes.map((note) => `  - ${plain(note)}`)
  const sources = row.sources.map(({ read, url }) => `  ${url} (read ${read})`)
  return [
    facts,
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...(sources.length === 0 ? [] : ["", "Sources", ...sources])
  ].join("\n")
}

/** Without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll("`", "")
