/** What a caller can ask for: `chat`; embedders may add others. A protocol says which of them it speaks. */
export type OperationName = string
