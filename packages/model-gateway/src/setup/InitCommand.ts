/** `model-gateway init`: a configuration file to start from. */
import { randomBytes } from "node:crypto"
import { Console, Effect, FileSystem } from "effect"
import { Command } from "effect/cli"
import { fileToWrite } from "../ConfigurationFile.ts"
import { starterConfig } from "../configuration/Starter.ts"
import { startersOf } from "../catalogue/Starters.ts"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { asCalled, Environment } from "../Environment.ts"
import { notWritten } from "../NotWritten.ts"

/** 264 bits: base64 without padding. */
const MASTER_KEY_BYTES = 33
const OWNER_ONLY = 0o600

export const init = Command.make(
  "init",
  {
    config: fileToWrite("config")
  },
  Effect.fn("init")(function* ({ config }) {
    const fileSystem = yield* FileSystem.FileSystem
    const environment = yield* Environment
    const masterKey = randomBytes(MASTER_KEY_BYTES).toString("base64url")
    const vendors = knownVendors.map((vendor) => ({ ...vendor, starterModels: startersOf(vendor.name) }))
    const text = starterConfig({ masterKey, vendors, environment })
    // `wx` is atomic and never replaces a file.
    yield* fileSystem
      .writeFileString(config, text, { flag: "wx", mode: OWNER_ONLY })
      .pipe(Effect.mapError(notWritten(config, "--config")))
    yield* Console.log(yield* asCalled(nextSteps(config)))
  })
).pipe(
  Command.withDescription(
    "Write a commented configuration file with a fresh master key and a deployment for every vendor key found in the environment. Never overwrites a file."
  ),
  Command.withShortDescription("Write a configuration file to start from"),
  Command.withExamples([
    { command: "model-gateway init", description: "Write gateway.yaml into this folder" },
    {
      command: "OPENAI_API_KEY=… model-gateway init --config prod.yaml",
      description: "Another name; with OpenAI's models"
    }
  ])
)

const nextSteps = (file: string): string => {
  const flag = file === "gateway.yaml" ? "" : ` --config ${file}`
  return [
    `Wrote ${file}, with a fresh master key; only you can read the file.`,
    "",
    "Next:",
    `  model-gateway check${flag}    what would run`,
    `  model-gateway serve${flag}    run it`,
    `  model-gateway keys create --name my-app${flag}    a key for callers, while it runs`
  ].join("\n")
}
