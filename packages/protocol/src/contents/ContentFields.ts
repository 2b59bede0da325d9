/** Reads Google's JSON, whose names may be in camel case or in snake case. */
import { Predicate } from "effect"
import type { ContentBody } from "../content/FieldRules.ts"

/** The fields by their names in camel case; a name that comes twice gets a mark. Empty for what is no object. */
export const camel = (value: unknown): ContentBody => {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [given, one] of Object.entries(Predicate.isObject(value) ? value : {})) {
    const name = given.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    fields[Object.hasOwn(fields, name) ? `_${name}` : name] = one
  }
  return fields
}

/** The objects of a list; one alone counts as a list. */
export const each = (value: unknown): ReadonlyArray<ContentBody> =>
  (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value]).filter((one): one is ContentBody =>
    Predicate.isObject(one)
  )

export const isEmpty = (fields: ContentBody): boolean => Object.keys(fields).length === 0

/** Without the fields that are undefined. */
export const some = (fields: ContentBody): ContentBody =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
