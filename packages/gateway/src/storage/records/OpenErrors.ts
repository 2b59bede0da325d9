/** Errors of opening a store. */
import { Schema } from "effect"

/** Another process owns the store. The message says which. */
export class StoreLocked extends Schema.TaggedError<StoreLocked>()("StoreLocked", { message: Schema.String }) {}

/** The store was written by a newer version of the gateway. Nothing was changed. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", { message: Schema.String }) {}

/** The store can't be opened as it is: no permission, no folder, not a database. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", { message: Schema.String }) {}

export type StoreOpenError = StoreLocked | StoreTooNew | StoreUnusable
