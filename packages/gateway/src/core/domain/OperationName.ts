/** The name of an operation: `chat`, or one that an embedder adds. A protocol lists the operations that it speaks. */
export type OperationName = string
