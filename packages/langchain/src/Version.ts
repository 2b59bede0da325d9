/** This package, as it shows in traces. A test holds it against package.json. */
export const PACKAGE = "@model-gateway/langchain"
export const VERSION = "0.1.0"

/** Who answered, in LangChain's words: `ls_provider` of traces and `model_provider` of messages. */
export const PROVIDER = "model-gateway"
