/** Parts of descriptions that several vendor-defined endpoints share. */
import { Schema } from "effect"

/** Vendors add fields all the time: what is not described passes through untouched. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)] as const)

export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Tokens = Schema.Array(Schema.Int)

/** What a model reads one by one. */
export const Inputs = Schema.Union([Schema.String, Schema.Array(Schema.String), Tokens, Schema.Array(Tokens)]).annotate(
  { description: "A text, a list of texts, the tokens of one text, or a list of those." }
)
