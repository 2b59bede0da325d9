export { Script, type ScriptedRequest, type Scripts } from "./Script.ts"
export type { AnswerOptions, ErrorOptions, RawAnswer, Step } from "./ScriptStep.ts"
export { TestGateway, type TestAnswer, type TestKey, type TestOptions } from "./TestGateway.ts"
