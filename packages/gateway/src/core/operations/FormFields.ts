/** Reads what forms and JSON bodies write differently. */
import { Result } from "effect"
import type { InvalidField } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import { wrong } from "./ParseFields.ts"
import type { FormBody, Upload } from "./RequestBody.ts"

export const oneFile = ({ fields, files }: FormBody, name: string): Result.Result<Upload, InvalidField> => {
  const found = files.filter(({ field }) => field === name)
  const [file] = found
  if (found.length > 1) return wrong(name, `\`${name}\` must be one file, found ${found.length}`)
  if (file !== undefined) {
    return file.size > 0 ? Result.succeed(file) : wrong(name, `the file in \`${name}\` must not be empty`)
  }
  if (fields[name] !== undefined) {
    return wrong(name, `\`${name}\` must be a file, found a text: send its part with a \`filename\``)
  }
  const others = [...new Set(files.map(({ field }) => `\`${field}\``))].join(", ")
  return wrong(name, `the form must have a file in \`${name}\`${others === "" ? "" : `, found files in ${others}`}`)
}

/** `true` and `false`, as forms write them; other values stay. */
export const withFlag = (fields: JsonObject, name: string): JsonObject => {
  const value = fields[name]
  return value === "true" || value === "false" ? { ...fields, [name]: value === "true" } : fields
}
