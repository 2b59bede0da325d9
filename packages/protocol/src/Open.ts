/** Parts of descriptions that several vendor-defined endpoints share. */
import { Schema } from "effect"

/** Vendors add fields all the time: what is not described passes through untouched. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)] as const)

export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
