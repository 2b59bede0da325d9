/** Forms: fields as text, files as they come. */
import type { Outgoing } from "../connection/Connection.ts"
import type { CallOptions } from "../Settings.ts"
import { fileOf, isUpload } from "../Upload.ts"

/** A request with its fields as a form; lists become fields of the same name with `[]`. */
export const formRequest = async (path: string, fields: object, options?: CallOptions): Promise<Outgoing> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const item of value) await append(form, `${name}[]`, item)
    else await append(form, name, value)
  }
  return { method: "POST", path, body: form, options }
}

const append = async (form: FormData, name: string, value: unknown): Promise<void> => {
  if (value === undefined || value === null) return
  if (isUpload(value)) {
    const file = await fileOf(value)
    form.append(name, file.blob, file.name)
  } else form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value))
}
