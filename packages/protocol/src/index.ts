export * from "./Errors.ts"
